export { svgReader as reader } from '../../svg/read.ts';
