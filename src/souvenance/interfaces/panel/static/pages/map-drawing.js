// The map as a person handles it: where everything stands, what is seen of it, what is near and what is named. Three
// layers: ties (map-ties.js), nodes (map-painting.js), and names and rings, which are drawn here.
import { Painting } from "./map-painting.js";
import { Ties } from "./map-ties.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const REST = 90; // milliseconds without movement after which ties are drawn for the new view
const FADES = 6; // steps in which ties are dimmed
const FORMS = "fnms";
const LOOKS = { alike: ["soft", 0.3], page: ["soft", 0.42], link: ["accent", 0.75] };

export class Drawing {
  constructor(canvas, ground) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.painting = new Painting(ground);
    this.layer = new Ties(canvas.parentElement);
    this.painting.onRestored = () => this.#changed();
    this.view = { x: 0, y: 0, scale: 6 };
    this.vaults = [];
    this.ids = [];
    this.lines = [];
    this.place = new Map();
    this.shown = { link: true, page: true, alike: true };
    this.ties = { link: [], page: [], alike: [] };
    this.found = null;
    this.isFitted = false;
    this.frame = 0;
    new ResizeObserver(() => this.#resize()).observe(canvas);
    const repaint = () => this.#theme();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
    new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.#theme();
  }

  // --- what is drawn -----------------------------------------------------------------------------------------------

  take(data) {
    const before = this.place;
    const [oldX, oldY] = [this.x, this.y];
    const count = data.ids.length;
    this.ids = data.ids;
    this.place = new Map(data.ids.map((id, at) => [id, at]));
    this.forms = data.forms;
    this.labels = data.labels;
    this.plain = null;
    this.vaults = data.vaults;
    this.vault = Uint16Array.from(data.vault);
    this.disabled = new Uint8Array(count);
    for (const at of data.disabled) this.disabled[at] = 1;
    this.toX = Float32Array.from(data.x);
    this.toY = Float32Array.from(data.y);
    this.ties = Object.fromEntries(Object.entries(data.ties).map(([kind, ends]) => [kind, Uint32Array.from(ends)]));
    this.size = new Float32Array(count).fill(0.42);
    for (const ends of Object.values(this.ties)) for (const at of ends) this.size[at] = Math.min(1.1, this.size[at] + 0.025);
    this.byTies = Uint32Array.from(this.size.keys()).sort((one, other) => this.size[other] - this.size[one]);
    this.x = Float32Array.from(this.toX);
    this.y = Float32Array.from(this.toY);
    this.glide = 0;
    if (oldX && before.size && !calm.matches) {
      let moves = false;
      for (const [id, at] of this.place) {
        const was = before.get(id);
        if (was === undefined) continue;
        this.x[at] = oldX[was];
        this.y[at] = oldY[was];
        moves ||= Math.abs(this.x[at] - this.toX[at]) + Math.abs(this.y[at] - this.toY[at]) > 0.2;
      }
      if (moves) {
        this.fromX = this.x.slice();
        this.fromY = this.y.slice();
        this.glide = performance.now();
      }
    }
    if (this.chosen && !this.place.has(this.chosen)) this.chosen = "";
    this.#index();
    if (count && (!this.isFitted || !this.isTouched)) this.showAll({ now: !this.isFitted });
    this.#changed();
  }

  dim(weights) {
    for (const vault of this.vaults) vault.attention = weights[vault.id] ?? 0;
    this.#changed();
  }

  disable(id, disabled) {
    const at = this.place.get(id);
    if (at === undefined || this.disabled[at] === Number(disabled)) return;
    this.disabled[at] = Number(disabled);
    this.#changed();
  }

  showTies(kind, shown) {
    this.shown[kind] = shown;
    this.#changed();
  }

  // --- the view ----------------------------------------------------------------------------------------------------

  pan(dx, dy) {
    this.isTouched = true;
    this.flight = null;
    this.view.x -= dx / this.view.scale;
    this.view.y -= dy / this.view.scale;
    this.#move();
  }

  zoom(factor, sx = this.canvas.clientWidth / 2, sy = this.canvas.clientHeight / 2) {
    this.isTouched = true;
    this.flight = null;
    const scale = Math.min(90, Math.max(0.4, this.view.scale * factor));
    const [wx, wy] = this.#world(sx, sy);
    this.view = { scale, x: wx - (sx - this.canvas.clientWidth / 2) / scale, y: wy - (sy - this.canvas.clientHeight / 2) / scale };
    this.#move();
  }

  showAll({ now = false } = {}) {
    this.isFitted = true;
    this.isTouched = false;
    this.#fit(this.ids.map((_, at) => at), now);
  }

  showVault(id) {
    this.isTouched = true;
    const place = this.vaults.findIndex((vault) => vault.id === id);
    this.#fit(this.ids.map((_, at) => at).filter((at) => this.vault[at] === place));
  }

  #fit(some, now = false) {
    if (!some.length) return;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const at of some) {
      left = Math.min(left, this.toX[at]);
      right = Math.max(right, this.toX[at]);
      top = Math.min(top, this.toY[at]);
      bottom = Math.max(bottom, this.toY[at]);
    }
    const aside = this.aside?.() ?? 0; // what lies over the left edge
    const room = [Math.max(120, this.canvas.clientWidth - 60 - aside), Math.max(120, this.canvas.clientHeight - 150)];
    const scale = Math.max(0.4, Math.min(26, room[0] / (right - left + 4), room[1] / (bottom - top + 4)));
    this.#fly({ x: (left + right - aside / scale) / 2, y: (top + bottom) / 2 - 30 / scale, scale }, now);
  }

  #fly(to, now = false) {
    if (now || calm.matches) this.view = to;
    else this.flight = { from: { ...this.view }, to, since: performance.now() };
    this.#move();
  }

  // --- nodes by place, name and tie ----------------------------------------------------------------------------------

  at(sx, sy, reach) {
    if (!this.ids.length) return "";
    const [wx, wy] = this.#world(sx, sy);
    const limit = reach / this.view.scale + 1.2;
    let [best, nearest] = [-1, Infinity];
    const look = (at) => {
      const far = Math.hypot(this.toX[at] - wx, this.toY[at] - wy) - this.size[at];
      if (far < nearest) [best, nearest] = [at, far];
    };
    if (limit > 60) for (let at = 0; at < this.ids.length; at++) look(at);
    else
      for (let cx = Math.floor((wx - limit) / 4); cx <= Math.floor((wx + limit) / 4); cx++)
        for (let cy = Math.floor((wy - limit) / 4); cy <= Math.floor((wy + limit) / 4); cy++)
          for (const at of this.cells.get(cx * 65536 + cy) ?? []) look(at);
    return best >= 0 && nearest * this.view.scale <= reach ? this.ids[best] : "";
  }

  about(id) {
    const at = this.place.get(id);
    return { label: this.labels[at], form: this.forms[at], vault: this.vaults[this.vault[at]].name, disabled: this.disabled[at] };
  }

  tiedTo(id) {
    const at = this.place.get(id);
    const found = new Set();
    for (const ends of Object.values(this.ties))
      for (let tie = 0; tie < ends.length; tie += 2) {
        if (ends[tie] === at) found.add(ends[tie + 1]);
        if (ends[tie + 1] === at) found.add(ends[tie]);
      }
    return [...found].map((other) => ({ id: this.ids[other], ...this.about(this.ids[other]) }));
  }

  search(text) {
    const wanted = fold(text);
    this.plain ??= this.labels.map(fold);
    const found = [];
    if (wanted)
      for (let at = 0; at < this.ids.length; at++) {
        const where = this.plain[at].indexOf(wanted);
        if (where >= 0 || this.ids[at] === `fact:${wanted.replace("#", "")}`) found.push({ at, where: where < 0 ? 0 : where });
      }
    this.found = wanted ? new Set(found.map(({ at }) => at)) : null;
    this.#changed();
    found.sort((one, other) => one.where - other.where || one.at - other.at);
    return found.map(({ at }) => ({ id: this.ids[at], ...this.about(this.ids[at]) }));
  }

  choose(id, { centre = false } = {}) {
    this.chosen = id;
    const at = this.place.get(id);
    if (at !== undefined && centre) this.isTouched = true;
    if (at !== undefined && centre) this.#fly({ x: this.toX[at], y: this.toY[at], scale: Math.max(this.view.scale, 14) });
    this.#changed();
  }

  hover(id) {
    if (this.hovered === id) return;
    this.hovered = id;
    this.#ask();
  }

  #index() {
    this.cells = new Map();
    for (let at = 0; at < this.ids.length; at++) {
      const cell = Math.floor(this.toX[at] / 4) * 65536 + Math.floor(this.toY[at] / 4);
      (this.cells.get(cell) ?? this.cells.set(cell, []).get(cell)).push(at);
    }
    this.centres = this.vaults.map(() => ({ x: 0, top: Infinity, many: 0 }));
    for (let at = 0; at < this.ids.length; at++) {
      const centre = this.centres[this.vault[at]];
      centre.x += this.toX[at];
      centre.top = Math.min(centre.top, this.toY[at]);
      centre.many++;
    }
  }

  // --- frames ------------------------------------------------------------------------------------------------------

  #ask() {
    this.frame ||= requestAnimationFrame((now) => this.#draw(now));
  }

  #changed() {
    this.isStale = true;
    this.#ask();
  }

  #move() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.isMoving = false;
      this.#redrawTies();
    }, REST);
    this.isMoving = true;
    this.#ask();
  }

  #redrawTies() {
    this.layer.begin(this.lines, this.view, this.canvas.clientWidth, this.canvas.clientHeight, this.ratio);
    this.#ask();
  }

  #resize() {
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    for (const canvas of [this.canvas, this.painting.canvas]) {
      canvas.width = Math.round(this.canvas.clientWidth * this.ratio);
      canvas.height = Math.round(this.canvas.clientHeight * this.ratio);
    }
    if (this.isFitted && (!this.hasSize || !this.isTouched)) this.showAll({ now: true });
    this.hasSize = this.canvas.width > 0;
    this.#changed();
  }

  #theme() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.colours = { ink: colour("--ink"), soft: colour("--soft"), paper: colour("--paper"), accent: colour("--accent") };
    this.font = style.getPropertyValue("--sans") || "sans-serif";
    this.#changed();
  }

  #world(sx, sy) {
    const { x, y, scale } = this.view;
    return [x + (sx - this.canvas.clientWidth / 2) / scale, y + (sy - this.canvas.clientHeight / 2) / scale];
  }

  #draw(now) {
    this.frame = 0;
    const { pen, canvas, ratio } = this;
    if (!canvas.width) return;
    if (this.flight) {
      const { from, to, since } = this.flight;
      const part = ease(Math.min(1, (now - since) / 420));
      const scale = from.scale * (to.scale / from.scale) ** part;
      this.view = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part, scale };
      if (part >= 1) this.flight = null;
      this.#move();
    }
    if (this.glide) {
      const part = ease(Math.min(1, (now - this.glide) / 700));
      for (let at = 0; at < this.ids.length; at++) {
        this.x[at] = this.fromX[at] + (this.toX[at] - this.fromX[at]) * part;
        this.y[at] = this.fromY[at] + (this.toY[at] - this.fromY[at]) * part;
      }
      if (part >= 1) this.glide = 0;
      this.#changed();
    }
    if (this.isStale) this.#supply();
    this.painting.draw(this.view, ratio);
    if (this.glide) this.layer.hide();
    else {
      if (!this.layer.job && this.layer.isBeyond(this.view, canvas.clientWidth, canvas.clientHeight)) this.#redrawTies();
      if (this.layer.step(now, this.view)) this.#ask();
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.ids.length) {
      this.#drawChosen();
      this.#drawNames();
    }
  }

  #supply() {
    this.isStale = false;
    const count = this.ids.length;
    const hues = this.vaults.map((vault) => this.#rgb(vault.colour));
    const [places, colours, looks] = [new Float32Array(count * 2), new Float32Array(count * 3), new Float32Array(count * 4)];
    for (let at = 0; at < count; at++) {
      places.set([this.x[at], this.y[at]], at * 2);
      colours.set(hues[this.vault[at]], at * 3);
      looks.set([this.size[at], FORMS.indexOf(this.forms[at]), this.#light(at), this.disabled[at]], at * 4);
    }
    this.painting.take({ places, colours, looks });
    this.lines = [];
    for (const [kind, [name, most]] of Object.entries(LOOKS)) {
      if (!this.shown[kind]) continue;
      const groups = Array.from({ length: FADES }, (_, step) => ({ colour: this.colours[name], alpha: (most * (step + 0.7)) / FADES, ends: [] }));
      const some = this.ties[kind];
      for (let tie = 0; tie < some.length; tie += 2) {
        const [one, other] = [some[tie], some[tie + 1]];
        const near = this.vault[one] === this.vault[other] ? 1 : 0.25;
        const light = near * Math.min(this.#light(one), this.#light(other));
        if (light < 0.05) continue; // thousands of the faintest would add up to a veil
        groups[Math.min(FADES - 1, Math.floor(light * FADES))].ends.push(this.x[one], this.y[one], this.x[other], this.y[other]);
      }
      this.lines.push(...groups.filter(({ ends }) => ends.length));
    }
    if (!this.glide) this.#redrawTies();
  }

  #rgb(colour) {
    this.pen.fillStyle = "#888888";
    this.pen.fillStyle = colour;
    const hex = this.pen.fillStyle;
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
  }

  #light(at) {
    const attention = 0.1 + (0.9 * this.vaults[this.vault[at]].attention) / 100;
    return (this.found && !this.found.has(at) ? 0.25 : 1) * (this.disabled[at] ? 0.5 : 1) * attention;
  }

  #drawChosen() {
    const at = this.place.get(this.chosen);
    if (at !== undefined) {
      const { pen } = this;
      pen.strokeStyle = this.colours.accent;
      pen.lineWidth = 1.6;
      pen.beginPath();
      const [x, y] = this.#screen(at);
      for (const { id } of this.tiedTo(this.chosen)) {
        const [tx, ty] = this.#screen(this.place.get(id));
        pen.moveTo(x, y);
        pen.lineTo(tx, ty);
      }
      pen.stroke();
    }
    for (const id of new Set([this.chosen, this.hovered])) this.#ring(this.place.get(id), id === this.chosen);
    if (document.activeElement === this.canvas && this.canvas.matches(":focus-visible")) {
      this.#ring(this.place.get(this.at(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2, Infinity)), false);
    }
  }

  #ring(at, strong) {
    if (at === undefined) return;
    const { pen } = this;
    const [x, y] = this.#screen(at);
    pen.strokeStyle = strong ? this.colours.accent : this.colours.ink;
    pen.lineWidth = strong ? 3 : 2;
    pen.beginPath();
    pen.arc(x, y, Math.max(5, Math.min(13, this.size[at] * this.view.scale)) + 4, 0, Math.PI * 2);
    pen.stroke();
  }

  #screen(at) {
    const { x, y, scale } = this.view;
    return [this.canvas.clientWidth / 2 + (this.x[at] - x) * scale, this.canvas.clientHeight / 2 + (this.y[at] - y) * scale];
  }

  #drawNames() {
    const { pen, view, canvas } = this;
    pen.textAlign = "center";
    pen.lineJoin = "round";
    pen.strokeStyle = this.colours.paper;
    pen.fillStyle = this.colours.ink;
    pen.lineWidth = 4;
    const write = (text, x, y) => (pen.strokeText(text, x, y), pen.fillText(text, x, y));
    const taken = [];
    if (view.scale > 11) {
      pen.font = `12px ${this.font}`;
      const most = this.isMoving ? 12 : 60; // writing is what costs most in a frame
      for (const at of this.byTies) {
        if (taken.length > most) break;
        const [x, y] = this.#screen(at);
        if (x < 0 || y < 0 || x > canvas.clientWidth || y > canvas.clientHeight) continue;
        if (taken.some(([tx, ty]) => Math.abs(tx - x) < 150 && Math.abs(ty - y) < 17)) continue;
        taken.push([x, y]);
        pen.globalAlpha = Math.max(0.5, this.#light(at));
        write(shortened(this.labels[at]), x, y + Math.min(13, this.size[at] * view.scale) + 14);
      }
    }
    pen.globalAlpha = 1;
    pen.font = `600 14px ${this.font}`;
    this.centres.forEach((centre, place) => {
      if (!centre.many) return;
      const x = canvas.clientWidth / 2 + (centre.x / centre.many - view.x) * view.scale;
      const y = canvas.clientHeight / 2 + (centre.top - view.y) * view.scale - 10;
      pen.globalAlpha = Math.max(0.5, this.vaults[place].attention / 100);
      write(shortened(this.vaults[place].name), x, y);
    });
    pen.globalAlpha = 1;
  }
}

const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
const shortened = (text) => (text.length > 26 ? `${text.slice(0, 25)}…` : text);
const ease = (part) => 1 - (1 - part) ** 3;
