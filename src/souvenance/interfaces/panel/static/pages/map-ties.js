// Ties of the map, by the thousands: drawn for one view, somewhat beyond the window, a few at every frame; until the next
// drawing is whole, the last one is moved along with the view. So no frame ever waits for them.

const BEYOND = 0.3; // of the window, on each side
const FRAME = 22; // milliseconds: below it more ties are drawn at the next frame, well above it fewer
const AT_ONCE = 60; // lines of one path: long paths cost far more than many short ones

export class Ties {
  constructor(box) {
    this.sheets = [0, 1].map(() => {
      const canvas = document.createElement("canvas");
      canvas.className = "map-ties";
      canvas.setAttribute("aria-hidden", "true");
      box.prepend(canvas);
      return { canvas, pen: canvas.getContext("2d"), view: null };
    });
    this.pace = 500;
    this.job = null;
  }

  /** Begins to draw `lines` — groups of `{ colour, alpha, ends }`, ends in the map's units, four numbers a line — as `view` sees them. */
  begin(lines, view, wide, high, ratio) {
    const sheet = this.sheets[1];
    const { canvas, pen } = sheet;
    const [w, h] = [wide * (1 + 2 * BEYOND), high * (1 + 2 * BEYOND)];
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    Object.assign(canvas.style, { width: `${w}px`, height: `${h}px`, left: `${-wide * BEYOND}px`, top: `${-high * BEYOND}px`, visibility: "hidden" });
    pen.lineWidth = ratio * Math.min(1.7, Math.max(0.7, view.scale / 8));
    const scale = view.scale * ratio;
    sheet.view = { ...view };
    this.job = { sheet, lines, group: 0, at: 0, scale, x: canvas.width / 2 - view.x * scale, y: canvas.height / 2 - view.y * scale, last: 0 };
  }

  /** One frame: draws some more, shows what is whole. Whether there is more to do. */
  step(now, view) {
    const { job } = this;
    if (job) {
      const spent = job.last ? now - job.last : FRAME;
      job.last = now;
      this.pace = Math.min(8000, Math.max(120, this.pace * (spent < FRAME ? 1.5 : spent > 2 * FRAME ? 0.5 : 1)));
      if (this.#some(job)) {
        this.job = null;
        this.sheets.reverse();
        this.sheets[0].canvas.style.visibility = "";
        this.sheets[1].canvas.style.visibility = "hidden";
      }
    }
    const { canvas, view: drawn } = this.sheets[0];
    if (drawn) {
      const part = view.scale / drawn.scale;
      canvas.style.transform = `translate(${(drawn.x - view.x) * view.scale}px, ${(drawn.y - view.y) * view.scale}px) scale(${part})`;
    }
    return this.job !== null;
  }

  hide() {
    this.job = null;
    for (const { canvas } of this.sheets) canvas.style.visibility = "hidden";
  }

  /** Whether the drawing that is shown no longer fills the window of this view. */
  isBeyond(view, wide, high) {
    const drawn = this.sheets[0].view;
    if (!drawn) return true;
    const room = drawn.scale < view.scale ? 0.5 : 0;
    return (
      Math.abs(view.x - drawn.x) * view.scale > wide * (BEYOND + room) ||
      Math.abs(view.y - drawn.y) * view.scale > high * (BEYOND + room) ||
      view.scale < drawn.scale / (1 + BEYOND)
    );
  }

  #some(job) {
    const { pen, canvas } = job.sheet;
    let left = this.pace;
    while (left > 0 && job.group < job.lines.length) {
      const { colour, alpha, ends } = job.lines[job.group];
      pen.strokeStyle = colour;
      pen.globalAlpha = alpha;
      pen.beginPath();
      let drawn = 0;
      for (; job.at < ends.length && drawn < AT_ONCE; job.at += 4) {
        const [x1, y1] = [job.x + ends[job.at] * job.scale, job.y + ends[job.at + 1] * job.scale];
        const [x2, y2] = [job.x + ends[job.at + 2] * job.scale, job.y + ends[job.at + 3] * job.scale];
        if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > canvas.width || Math.max(y1, y2) < 0 || Math.min(y1, y2) > canvas.height) continue;
        pen.moveTo(x1, y1);
        pen.lineTo(x2, y2);
        drawn++;
      }
      pen.stroke();
      left -= drawn;
      if (job.at >= ends.length) [job.group, job.at] = [job.group + 1, 0];
    }
    return job.group >= job.lines.length;
  }
}
