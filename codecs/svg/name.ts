export const SVG_NAME = 'SVG';
