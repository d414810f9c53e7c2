/** Shader program: each point has a position, a value that determines its colour, and a selection flag. */

export const ATTRIBUTE = { place: 0, value: 1, selected: 2 } as const;

/** Marks a missing number, since shaders may not support NaN. */
export const NO_NUMBER = -3.4e38;

/** Number of texels per row of the palette texture. */
export const PALETTE_WIDTH = 256;

export const VERTEX = `#version 300 es
layout(location = 0) in vec2 place;
layout(location = 1) in float value;
layout(location = 2) in float selected;
uniform vec2 centre;
uniform vec2 scale;
// 0: one colour, 1: codes, 2: numbers
uniform int colouring;
uniform vec2 range;
uniform float size;
uniform float opacity;
uniform bool fades;
uniform vec4 missing;
uniform sampler2D palette;
flat out vec4 colour;

void main() {
  vec4 found;
  float depth = 0.0;
  if (colouring == 2) {
    float share = clamp((value - range.x) * range.y, 0.0, 1.0);
    bool none = value < -3.3e38;
    found = none ? missing : texelFetch(palette, ivec2(int(share * 255.0 + 0.5), 0), 0);
    if (none) depth = 0.4;
  } else {
    int code = colouring == 1 ? int(value) : 0;
    found = texelFetch(palette, ivec2(code & 255, code >> 8), 0);
  }
  float alpha = opacity;
  if (fades && selected < 0.5) {
    found = missing;
    alpha *= 0.35;
    depth = 0.8;
  }
  colour = vec4(found.rgb, 1.0) * (alpha * found.a);
  gl_Position = vec4((place - centre) * scale, depth, 1.0);
  gl_PointSize = size;
}`;

export const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 colour;
// Diameter of a disc; 0 for squares.
uniform float disc;
out vec4 pixel;

void main() {
  float cover = 1.0;
  if (disc > 0.0) {
    // Distance from the edge in pixels; the edge is smoothed over one pixel.
    cover = clamp((0.5 - length(gl_PointCoord - 0.5)) * disc + 0.5, 0.0, 1.0);
    if (cover == 0.0) discard;
  }
  pixel = colour * cover;
}`;
