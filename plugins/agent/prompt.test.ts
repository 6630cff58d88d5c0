import { describe, expect, test } from 'vitest';
import type { ChatTurn } from '../../kernel/index.ts';
import { kitDialect } from '../sql-kit/index.ts';
import { chatMessages, systemPrompt } from './prompt.ts';

const now = Date.parse('2026-01-15T12:00:00Z');

describe('the instructions', () => {
  test.each<[string, string]>([
    ['sqlite', 'SQLite'],
    ['postgres', 'PostgreSQL'],
    ['mysql', 'MySQL'],
    ['duckdb', 'DuckDB'],
  ])('name the dialect of a %s connection', (dbType, name) => {
    const connections = [{ id: 'main', engine: kitDialect(dbType).label, description: 'Orders\nand more' }];
    const prompt = systemPrompt({ connections, connectionId: undefined, context: [], now });
    expect(prompt).toContain(`Connections\n- main: ${name}, Orders and more\n`);
  });

  test('tell the model to ask which meaning of an ambiguous term is meant', () => {
    const prompt = systemPrompt({ connections: [], connectionId: undefined, context: [], now });
    const rule = prompt.split('\n').find((line) => line.includes('ambiguous'));
    expect(rule).toMatch(/do not query: name the meanings and ask which one/);
  });
});

describe('the conversation', () => {
  const turns = (...texts: string[]): ChatTurn[] =>
    texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', text }));

  test('keeps as many bytes of earlier turns as allowed, counted in UTF-8', () => {
    const conversation = turns('\u00e4'.repeat(6), '\u00e4'.repeat(5), 'And now?');
    const textsWithin = (historyBytes: number) =>
      chatMessages(conversation, historyBytes).map(({ content }) => (content as { text: string }[])[0]?.text);
    expect(textsWithin(22)).toEqual(['\u00e4'.repeat(6), '\u00e4'.repeat(5), 'And now?']);
    // An answer without its question is dropped too.
    expect(textsWithin(21)).toEqual(['And now?']);
  });
});
