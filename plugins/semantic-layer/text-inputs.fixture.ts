/** Lists where the semantic layer reads texts of others, for the test that measures how long that takes. */
import { join } from 'node:path';
import { anyText } from '../../test/growth/shapes.ts';
import { KIB, QUESTION, type TextInput } from '../../test/growth/text-input.ts';
import { ContextWriter } from './context.ts';
import { parseLayerFile } from './file.ts';
import { loadSemanticLayer } from './load.ts';
import { LayerSearch } from './search.ts';

const model = await loadSemanticLayer(join(import.meta.dirname, '..', '..', 'semantic'));
const context = new ContextWriter(new LayerSearch());
// The index is built now, so that only reading the question counts.
await context.write(model, 'orders', 2_000);

const parse = (kind: 'entity' | 'glossary', text: string) =>
  parseLayerFile({ path: `${kind}.yml`, kind, source: 'default' }, text);

export const textInputs: readonly TextInput[] = [
  {
    name: 'question for the semantic layer',
    longest: QUESTION,
    shapes: anyText,
    read: (text) => context.write(model, text, 2_000),
  },
  {
    name: 'description of an entity',
    longest: 64 * KIB,
    isOwn: true,
    shapes: anyText,
    read: (text) => parse('entity', `table: orders\ndescription: ${JSON.stringify(text)}\n`),
  },
  {
    name: 'text of a semantic file',
    longest: 64 * KIB,
    isOwn: true,
    shapes: anyText,
    read: (text) => parse('glossary', text),
  },
];
