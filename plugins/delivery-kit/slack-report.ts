/** Renders a report as a Slack message of Block Kit blocks, within Slack's limits. */
import { truncate } from '../text-kit/index.ts';
import type { ChartPicture } from './chart-pictures.ts';
import type { Dataset, Report } from './report.ts';
import { originNote, reportNotes, rowsNote } from './report.ts';
import { cellText, tableLines, withBold } from './text-layout.ts';

export interface SlackContent {
  /** What notifications show, and clients that know no blocks. */
  readonly text: string;
  readonly blocks?: readonly object[];
  readonly pictures?: readonly SlackPicture[];
}

/** A picture that is uploaded before the message is posted. */
export interface SlackPicture {
  readonly png: Uint8Array;
  readonly text: string;
  /** Which of the blocks follows it. */
  readonly before: number;
}

// Slack's limits: a header 150 characters, a section 3,000, a message 50 blocks and, as it counts them, some 13,000
// characters in all blocks (error `msg_blocks_too_long`).
const LONGEST_HEADER = 150;
const LONGEST_SECTION = 2_900;
const LONGEST_MESSAGE = 11_000;
const LONGEST_ANSWER = 5_800;
const LONGEST_LINE = 200;
const MOST_DATASETS = 20;
const LONGEST_ALT = 250;
const SHORTEST_NOTE = 60;
const LONGEST_NOTE = 600;

/** Slack's own escapes, without which `<!channel>` would notify everybody. */
export const escapedForSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').toWellFormed();

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const context = (text: string) => ({ type: 'context', elements: [{ type: 'mrkdwn', text }] });

export function renderSlack(subject: string, report: Report, charts: readonly ChartPicture[] = []): SlackContent {
  const { taskName, question, answer, data, timestamp } = report;
  const title = cellText(taskName).trim() || 'Atlas report';
  const blocks: object[] = [
    { type: 'header', text: { type: 'plain_text', text: truncate(title, LONGEST_HEADER), emoji: false } },
    context(cutEscaped(cellText(question), 1_000) || ' '),
    ...piecesOf(withBold(cutEscaped(answer, LONGEST_ANSWER), '*$1*')).map(section),
    ...reportNotes(report).map((note) => context(cutEscaped(note, 500))),
  ];
  let left = LONGEST_MESSAGE - JSON.stringify(blocks).length;
  const pictures: SlackPicture[] = [];
  for (const [place, dataset] of data.slice(0, MOST_DATASETS).entries()) {
    const chart = charts.find(({ at }) => at === place);
    if (chart !== undefined)
      pictures.push({ png: chart.png, text: truncate(chart.text, LONGEST_ALT), before: blocks.length });
    const added = tableBlocks(dataset, Math.min(left, LONGEST_SECTION));
    left -= JSON.stringify(added).length;
    blocks.push(...added);
  }
  const rest = data.length > MOST_DATASETS ? ` · ${data.length - MOST_DATASETS} more results` : '';
  blocks.push(context(`Sent by Atlas for the result of ${escapedForSlack(timestamp)}${rest}`));
  return {
    text: cutEscaped(`${cellText(subject)}\n${answer}`, LONGEST_SECTION),
    blocks,
    ...(pictures.length > 0 && { pictures }),
  };
}

/** The table as preformatted text with as many rows as fit, and how many those are. */
function tableBlocks(dataset: Dataset, longest: number): object[] {
  const lines = tableLines(dataset).map((line) => cutEscaped(line.replaceAll('```', "'''"), LONGEST_LINE));
  let length = 10;
  const fitting = lines.findIndex((line) => {
    // A line break takes two characters of JSON.
    length += JSON.stringify(line).length;
    return length > longest;
  });
  const kept = fitting === -1 ? lines : lines.slice(0, fitting);
  const shown = Math.max(0, kept.length - 2);
  const notes = rowsNote(dataset, shown);
  if (notes.length === 0 && kept.length <= 2) notes.push('No rows');
  return [
    ...(kept.length > 2 ? [section(`\`\`\`\n${kept.join('\n')}\n\`\`\``)] : []),
    ...[...notes, ...originNote(dataset)].map((note) =>
      context(cutEscaped(note, Math.max(SHORTEST_NOTE, Math.min(longest, LONGEST_NOTE)))),
    ),
  ];
}

function cutEscaped(text: string, longest: number): string {
  const whole = escapedForSlack(text);
  return whole.length <= longest ? whole : truncate(whole, longest).replace(/&[a-z]{0,3}…$/, '…');
}

/** Pieces that fit a section; none of them ends within an escape. */
function piecesOf(escaped: string): string[] {
  const pieces: string[] = [];
  for (let rest = escaped.trim(); rest !== ''; ) {
    const piece = rest.slice(0, LONGEST_SECTION);
    const end =
      piece.length === rest.length ? piece.length : piece.replace(/(&[a-z]{0,3}|[\ud800-\udbff])$/, '').length;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return pieces;
}
