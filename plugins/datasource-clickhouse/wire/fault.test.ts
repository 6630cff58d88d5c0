import { expect, it } from 'vitest';
import { faultOf } from './fault.ts';

it.each([
  [
    'Code: 60. DB::Exception: Unknown table x. (UNKNOWN_TABLE) (version 26.7.1)',
    60,
    'UNKNOWN_TABLE',
    'Unknown table x.',
  ],
  ['Code: 62. DB::Exception: Syntax error (SYNTAX_ERROR)', 62, 'SYNTAX_ERROR', 'Syntax error'],
  ['Code: 7. Exception: Something (odd)', 7, '', 'Something (odd)'],
])('%s', (text, code, kind, message) => {
  expect(faultOf(text)).toMatchObject({ code, kind, message });
});

it('reads a message that repeats a text of spaces at once', () => {
  const message = `Cannot parse '${' '.repeat(500_000)}'`;
  expect(faultOf(`Code: 6. DB::Exception: ${message} (CANNOT_PARSE_TEXT)`)).toMatchObject({ message });
});
