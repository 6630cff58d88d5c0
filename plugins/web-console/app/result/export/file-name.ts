/** Names an exported file after its question, in characters that every file system takes. */

const MAX_LENGTH = 60;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

export function fileName(question: string, extension: string): string {
  const words = question
    .slice(0, MAX_LENGTH * 4)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
  const name = words.slice(0, MAX_LENGTH).replace(/^-+|-+$/g, '');
  return `${name === '' || RESERVED.test(name) ? 'answer' : name}.${extension}`;
}
