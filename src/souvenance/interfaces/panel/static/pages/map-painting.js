// The nodes of the map through WebGL: all of them, anew at every frame.

const VIEW = `#version 300 es
precision highp float;
uniform vec2 middle, half_;
uniform float scale;
vec2 seen(vec2 at) { return (at - middle) * scale / half_ * vec2(1.0, -1.0); }`;

const NODE_VERTEX = `${VIEW}
in vec2 place;
in vec3 colour;
in vec4 look; // size, form, light, whether disabled
uniform float ratio;
out vec4 shade;
flat out float form;
flat out float off;
flat out float wide;
void main() {
  gl_Position = vec4(seen(place), 0.0, 1.0);
  wide = clamp(look.x * scale / ratio, 1.6, 13.0) * 2.0 * ratio + 2.0;
  gl_PointSize = wide;
  shade = vec4(colour, look.z);
  form = look.y;
  off = look.w;
}`;

const NODE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 shade;
flat in float form;
flat in float off;
flat in float wide;
out vec4 ink;
void main() {
  vec2 at = (gl_PointCoord - 0.5) * 2.0;
  float far;
  if (form < 0.5) far = length(at) - 0.86;
  else if (form < 1.5) far = max(abs(at.x), abs(at.y)) - 0.76;
  else if (form < 2.5) far = (abs(at.x) + abs(at.y)) * 0.7071 - 0.68;
  else far = max(at.y - 0.72, abs(at.x) * 0.87 - at.y * 0.5 - 0.42);
  float soft = 2.0 / wide;
  float here = 1.0 - smoothstep(-soft, soft, far);
  if (off > 0.5) {
    float rim = here * smoothstep(-soft, soft, far + 0.26);
    here = max(rim, here * (1.0 - smoothstep(0.1 - soft, 0.1 + soft, abs(at.x + at.y) * 0.7071)));
  }
  ink = vec4(shade.rgb, 1.0) * shade.a * here;
}`;

export class Painting {
  /** Throws where the browser has no WebGL 2. */
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.#begin();
      this.onRestored?.();
    });
    this.#begin();
  }

  #begin() {
    const { gl } = this;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.nodes = this.#program(NODE_VERTEX, NODE_FRAGMENT, { place: 2, colour: 3, look: 4 });
    this.count = 0;
  }

  #program(vertex, fragment, attributes) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "");
    const made = { program, array: gl.createVertexArray(), uniforms: {} };
    gl.bindVertexArray(made.array);
    for (const [name, size] of Object.entries(attributes)) {
      const at = gl.getAttribLocation(program, name);
      made[name] = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, made[name]);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
    }
    for (const name of ["middle", "half_", "scale", "ratio"]) made.uniforms[name] = gl.getUniformLocation(program, name);
    return made;
  }

  #fill(buffer, values) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.DYNAMIC_DRAW);
  }

  take({ places, colours, looks }) {
    this.#fill(this.nodes.place, places);
    this.#fill(this.nodes.colour, colours);
    this.#fill(this.nodes.look, looks);
    this.count = places.length / 2;
  }

  draw({ x, y, scale }, ratio) {
    const { gl, canvas } = this;
    const { program, array, uniforms } = this.nodes;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(program);
    gl.bindVertexArray(array);
    gl.uniform2f(uniforms.middle, x, y);
    gl.uniform2f(uniforms.half_, canvas.width / 2, canvas.height / 2);
    gl.uniform1f(uniforms.scale, scale * ratio);
    gl.uniform1f(uniforms.ratio, ratio);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }
}
