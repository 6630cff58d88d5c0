/** Renders a report as an e-mail, in HTML and in plain text. */
import { truncate } from '../text-kit/index.ts';
import { type ChartPicture, PICTURE_WIDTH } from './chart-pictures.ts';
import type { Report } from './report.ts';
import { originNote, reportNotes, rowsNote } from './report.ts';
import { cellText, formattedCell, tableLines, withBold } from './text-layout.ts';

export interface EmailContent {
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** The HTML shows them by their content ids. */
  readonly pictures?: readonly { readonly cid: string; readonly png: Uint8Array }[];
}

const LONGEST_CELL = 500;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

// Mail programs know styles of elements only.
const FONT = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif;font-size:14px;color:#1f2328';
const CELL = 'border:1px solid #d0d7de;padding:6px 10px;text-align:left;vertical-align:top';
const QUIET = 'color:#59636e;font-size:12px';

const cidOf = ({ at }: ChartPicture) => `chart-${at + 1}@atlas`;

export function renderEmail(subject: string, report: Report, pictures: readonly ChartPicture[] = []): EmailContent {
  return {
    subject: truncate(cellText(subject), 250),
    text: textOf(report),
    html: htmlOf(report, pictures),
    ...(pictures.length > 0 && { pictures: pictures.map((picture) => ({ cid: cidOf(picture), png: picture.png })) }),
  };
}

function textOf({ taskName, question, answer, data, timestamp, ...report }: Report): string {
  const tables = data.map((dataset) => {
    const notes = [...rowsNote(dataset), ...originNote(dataset)];
    return [...tableLines(dataset), ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
  });
  return [
    taskName,
    question,
    answer,
    ...reportNotes(report),
    ...tables,
    `Sent by Atlas for the result of ${timestamp}.`,
    '',
  ]
    .map((part) => part.trimEnd())
    .join('\n\n');
}

function htmlOf(
  { taskName, question, answer, data, timestamp, ...report }: Report,
  pictures: readonly ChartPicture[],
): string {
  const paragraphs = answer
    .split(/\n{2,}/)
    .map((text) => `<p>${withBold(escaped(text.trim()), '<strong>$1</strong>').replaceAll('\n', '<br>\n')}</p>`)
    .join('\n');
  const cell = (tag: 'th' | 'td', value: unknown) =>
    `<${tag} style="${CELL}">${escaped(truncate(cellText(value), LONGEST_CELL))}</${tag}>`;
  const imageOf = (picture: ChartPicture | undefined) =>
    picture === undefined
      ? ''
      : `<p><img src="cid:${cidOf(picture)}" alt="${escaped(picture.text)}" width="${PICTURE_WIDTH}" style="max-width:100%"></p>\n`;
  const tables = data.map((dataset, place) => {
    const { columns, rows } = dataset;
    const head = `<tr>${columns.map((column) => cell('th', column)).join('')}</tr>`;
    const body = rows.map(
      (row) => `<tr>${columns.map((column) => cell('td', formattedCell(dataset, column, row[column]))).join('')}</tr>`,
    );
    const notes = [...rowsNote(dataset), ...originNote(dataset)];
    return `${imageOf(pictures.find(({ at }) => at === place))}<table style="border-collapse:collapse;${FONT}">
<thead>${head}</thead>
<tbody>
${body.join('\n')}
</tbody>
</table>${notes.map((note) => `\n<p style="${QUIET}">${escaped(note)}</p>`).join('')}`;
  });
  return `<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>${escaped(taskName)}</title></head>
<body style="${FONT}">
<h1 style="font-size:18px">${escaped(taskName)}</h1>
<p style="${QUIET}">${escaped(question)}</p>
${[paragraphs, ...reportNotes(report).map((note) => `<p style="${QUIET}">${escaped(note)}</p>`)].join('\n')}
${tables.join('\n')}
<p style="${QUIET}">Sent by Atlas for the result of ${escaped(timestamp)}.</p>
</body>
</html>
`;
}
