"""Small documents of every format, made by hand so that a test knows each word in them."""

import io
import zipfile


def archive(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return out.getvalue()


def docx(heading: str, text: str) -> bytes:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return archive(
        {
            "[Content_Types].xml": f'<Types xmlns="{types}"><Default Extension="rels" ContentType="application/vnd.'
            f'openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
            f'ContentType="{main}"/></Types>',
            "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>'
            f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{heading}</w:t></w:r></w:p>'
            f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>",
            "word/styles.xml": f'<w:styles xmlns:w="{word}"><w:style w:type="paragraph" w:styleId="Heading1">'
            '<w:name w:val="heading 1"/></w:style></w:styles>',
        }
    )


def pptx(*slides: str) -> bytes:
    show = "http://schemas.openxmlformats.org/presentationml/2006/main"
    draw = "http://schemas.openxmlformats.org/drawingml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{show}" xmlns:r="{office}"><p:sldIdLst>'
        + "".join(f'<p:sldId id="{256 + i}" r:id="s{i}"/>' for i in range(len(slides)))
        + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": "<Relationships>"
        + "".join(f'<Relationship Id="s{i}" Target="slides/slide{i}.xml"/>' for i in range(len(slides)))
        + "</Relationships>",
    }
    for i, text in enumerate(slides):
        parts[f"ppt/slides/slide{i}.xml"] = (
            f'<p:sld xmlns:p="{show}" xmlns:a="{draw}"><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>'
        )
    return archive(parts)


def xlsx(*rows: list[object]) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def epub(title: str, *chapters: str) -> bytes:
    items = "".join(f'<item id="c{i}" href="c{i}.xhtml"/>' for i in range(len(chapters)))
    order = "".join(f'<itemref idref="c{i}"/>' for i in reversed(range(len(chapters))))
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="in/book.opf"/></rootfiles></container>',
        "in/book.opf": f"<package><metadata><title>{title}</title></metadata><manifest>{items}</manifest>"
        f"<spine>{order}</spine></package>",
    }
    for i, text in enumerate(chapters):
        parts[f"in/c{i}.xhtml"] = f"<html><body><h2>Chapter {i}</h2><p>{text}</p></body></html>"
    return archive(parts)


def pdf(text: str) -> bytes:
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 5\n0000000000 65535 f \n%strailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )


def email(subject: str, body: str) -> bytes:
    return (
        f"From: Ada <ada@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: {subject}\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n"
    ).encode()
