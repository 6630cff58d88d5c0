import { expect, it } from 'vitest';
import { contentOf, storedFile } from './stored-file.ts';

it.each(['table: a\nname: b\n', 'table: a\r\nname: b\r\n', '', 'table: a'])('gives %j back as it was', (content) => {
  const file = storedFile(content, '1');
  expect(file.text).not.toContain('\r');
  expect(contentOf(file.text, file)).toBe(content);
});

it('takes the ends of the file for lines that are new', () => {
  expect(contentOf('a\nb', storedFile('a\r\n', '1'))).toBe('a\r\nb');
});
