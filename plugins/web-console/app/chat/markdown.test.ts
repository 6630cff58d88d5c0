import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { AnswerText } from './answer-text.tsx';
import { Markdown } from './markdown.tsx';

const htmlOf = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));
const textOf = (html: string) => html.replace(/<[^>]*>/g, '');

it.each([
  ['plain\u202etxt', 'plainU+202Etxt'],
  ['# head\u200bing', 'headU+200Bing'],
  ['**bo\u2066ld** and `co\u202ede`', 'boU+2066ld and coU+202Ede'],
  ['```\na\u202eb\n\tc\n```', 'aU+202Eb\n\tc'],
  ['[pay\u200bpal](https://example.com/)', 'payU+200Bpal (example.com)'],
  ['[x\u202ey](javascript:1)', 'xU+202Ey'],
  ['![al\u202et](https://example.com/a.png)', 'alU+202Et'],
  ['a | b\n--|--\n1\u202e | 2', 'ab1U+202E2'],
  ['<i>\u202e</i>', '&lt;i&gt;U+202E&lt;/i&gt;'],
  ['> - \u0007', '␇'],
  [`${'>'.repeat(30)}\u202e`, `${'&gt;'.repeat(30)}U+202E`],
])('%j shows what it hides', (text, shown) => {
  expect(textOf(htmlOf(text))).toBe(shown);
});

it('shows what hides beside the numbers of an answer', () => {
  const table = { columns: ['n'], rows: [{ n: 7 }], rowCount: 1, truncated: false };
  const rest = { sql: '', executedSql: '', connectionId: 'default', durationMs: 0 };
  const html = renderToStaticMarkup(
    createElement(AnswerText, {
      text: 'a\u202e 7 b\u202e',
      question: '',
      table: { ...table, ...rest },
      onMark: () => undefined,
    }),
  );
  expect(textOf(html)).toBe('aU+202E 7 bU+202E');
  expect(html).toContain('<button');
});

it('a number of a link is no button', () => {
  const table = { columns: ['n'], rows: [{ n: 2198.7 }], rowCount: 1, truncated: false };
  const rest = { sql: '', executedSql: '', connectionId: 'default', durationMs: 0 };
  const props = { question: '', table: { ...table, ...rest }, onMark: () => undefined };
  const text = '[order 2198.7](https://example.com/x), 2198.7';
  const html = renderToStaticMarkup(createElement(AnswerText, { text, ...props }));
  expect(html).toContain('>order 2198.7</a>');
  expect(html.match(/<button/g)).toHaveLength(1);
});

it.each(['_a', '*a_', '[*a'])('a paragraph of %j is shown as it is, and the others are Markdown', (marks) => {
  const text = marks.repeat(25_000);
  expect(htmlOf(`**bold**\n\n${text}\n\n*even*`)).toMatch(
    new RegExp(
      `<p><strong>bold</strong></p><p>${text.replaceAll(/[*[]/g, '.').slice(0, 1_000)}.*</p><p><em>even</em></p>`,
    ),
  );
});

it('a long word is shown as it is', () => {
  expect(htmlOf(`**${'a'.repeat(5_000)}**@`)).toContain('<p>**a');
});

it.each([
  ['-'.repeat(80), '<hr/>'],
  ['* '.repeat(40), '<hr/>'],
  [`> ${'- '.repeat(40)}`, '<hr/>'],
  [`a|b\n${'-'.repeat(80)}|---\n1|2`, '<table>'],
  [`title\n\n${'*'.repeat(40)}`, '<hr/>'],
  [`**1.**\n${'1.'.repeat(20)}`, '<strong>'],
])('%j is no deep nesting', (text, element) => {
  expect(htmlOf(text)).toContain(element);
});

it.each([`${'>'.repeat(3_000)}x`, `${'- '.repeat(3_000)}x`, `${'1. '.repeat(3_000)}x`, `${'> - '.repeat(1_500)}x`])(
  'deep nesting is shown as it is',
  (text) => {
    expect(textOf(htmlOf(text))).toBe(text.replaceAll('>', '&gt;'));
  },
);
