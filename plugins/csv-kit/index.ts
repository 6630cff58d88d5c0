export { csvLines } from './csv.ts';
