/** Draws what `npm run demo -- --once` prints as an SVG: `node scripts/terminal-picture.ts > docs/demo.svg`. */
import { execFileSync } from 'node:child_process';

const LINE_HEIGHT = 19;
const CHAR_WIDTH = 8.43;
const MARGIN = 20;
const BAR = 34;

const lines = [
  '$ npm run demo -- --once',
  ...execFileSync('node', ['bin/atlas.mjs', 'demo', '--once'], { encoding: 'utf8' }).trimEnd().split('\n'),
];
const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CHAR_WIDTH) + 2 * MARGIN;
const height = lines.length * LINE_HEIGHT + 2 * MARGIN + BAR;
const escaped = (text: string) =>
  text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char] ?? char);

const text = lines.map((line, index) => {
  const y = BAR + MARGIN + (index + 0.75) * LINE_HEIGHT;
  const color = line.startsWith('$')
    ? '#7ee787'
    : line.startsWith('>')
      ? '#79c0ff'
      : /^ {2}\S/.test(line)
        ? '#d2a8ff'
        : '#e6edf3';
  return `<text x="${MARGIN}" y="${y}" fill="${color}" xml:space="preserve">${escaped(line)}</text>`;
});
const dots = ['#ff5f56', '#ffbd2e', '#27c93f'].map(
  (color, index) => `<circle cx="${MARGIN + index * 20}" cy="18" r="6" fill="${color}"/>`,
);
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="A terminal: the demo answers a question with text, SQL and rows">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${dots.join('\n')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
${text.join('\n')}
</g>
</svg>
`);
