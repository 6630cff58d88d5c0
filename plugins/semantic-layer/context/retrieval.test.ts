import { describe, expect, test } from 'vitest';
import { demoSet } from '../../../test/harness/question-sets.ts';
import { ContextWriter } from './context-writer.ts';
import { LayerSearch } from './search.ts';

/** The texts of the entities in detail, by name. */
function shownIn(text: string): Map<string, string> {
  const blocks = text
    .split('\n## ')
    .slice(1)
    .map((block) => block.split('\n# ')[0] ?? '');
  const whole = blocks.filter((block) => /\ncolumns:\n- \S+ \(/.test(block));
  return new Map(whole.map((block) => [/^[^(:\n]*/.exec(block)?.[0].trim() ?? '', block]));
}

describe.each([
  ['simple', undefined],
  ['ecommerce', undefined],
  ['cybersec', undefined],
  ['ecommerce', 300],
] as const)('the evaluation over %s, %s tables', (demo, entities) => {
  test('at least 97 % of the questions get all tables of their gold statement, and 90 % all its values', async () => {
    using set = await demoSet(demo, entities);
    const writer = new ContextWriter(new LayerSearch());
    const missed = { tables: [] as string[], values: [] as string[] };
    let [detailed, withValues] = [0, 0];
    for (const { question, gold } of set.questions) {
      const shown = shownIn(await writer.write(set.model, question));
      detailed += shown.size;
      if (!gold.tables.every((table) => shown.has(table))) missed.tables.push(question);
      if (gold.values.length === 0) continue;
      withValues += 1;
      const text = [...shown.values()].join('\n').toLowerCase();
      if (!gold.values.every((value) => text.includes(value.toLowerCase()))) missed.values.push(question);
    }
    expect(missed.tables.length, missed.tables.join('\n')).toBeLessThanOrEqual(set.questions.length * 0.03);
    expect(missed.values.length, missed.values.join('\n')).toBeLessThanOrEqual(withValues * 0.1);
    expect(detailed / set.questions.length).toBeLessThanOrEqual(6);
  });
});
