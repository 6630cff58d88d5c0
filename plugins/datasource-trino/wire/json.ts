/** Reads JSON that has to be an object. */
import { parseJson, objectIn as plainObjectIn } from '../../datasource-kit/index.ts';

/** Fractions are doubles, as JSON has them, since decimals are texts; of integers, `bigint` may be longer. */
const LONG_INTEGER = /(?<![\d.])\d{16}\d*(?![\d.e])/i;

/** Its integers keep all of their digits; `undefined` for what is no object of JSON. */
export const objectIn = (text: string) => plainObjectIn(text, LONG_INTEGER.test(text) ? parseJson : JSON.parse);
