export { pcxStill as still } from '../../legacy/pcx.ts';
