export { formattedValue, numberFormat, type ValueFormat, type ValueFormats, valueFormat } from './format.ts';
export { freshnessText, originLines } from './origin-text.ts';
export type * from './provenance.ts';
export { FILTER_OPERATORS } from './provenance.ts';
