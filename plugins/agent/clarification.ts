/** Asks the user to choose between meanings: the tool `clarify`, the answer that it makes, and the reply to that. */
import { type Static, Type } from '@sinclair/typebox';
import type { AgentTool, ChatTurn, ToolOutcome } from '../../kernel/index.ts';
import type { Choice } from './api.ts';
import { failed } from './tools/tool-outcome.ts';

const MAX_CHOICES = 10;

const Label = Type.String({ minLength: 1, maxLength: 300 });
const ClarifyInput = Type.Object(
  {
    question: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'one sentence, in the language of the user',
    }),
    choices: Type.Array(
      Type.Union([Label, Type.Object({ label: Label, description: Type.Optional(Type.String({ maxLength: 1_000 })) })]),
      {
        minItems: 2,
        maxItems: MAX_CHOICES,
        description: 'the meanings to choose between, in short',
      },
    ),
  },
  { additionalProperties: false },
);

export interface Clarification {
  readonly question: string;
  readonly choices: readonly Choice[];
}

const KEY = 'agent.clarification';

/** What the model has asked the user in this question; the last one counts. */
export function clarificationOf(memory: ReadonlyMap<string, unknown>): Clarification | undefined {
  return memory.get(KEY) as Clarification | undefined;
}

export const clarifyTool: AgentTool = {
  name: 'clarify',
  description:
    'Asks the user which of several meanings is meant, and ends the answer. Use it instead of a query when neither the ' +
    'question nor the conversation says which one; the user replies with a number or a text.',
  input: ClarifyInput,
  run(input, { memory, question: asked }) {
    const { question, choices } = input as Static<typeof ClarifyInput>;
    const reply = settled(asked.turns, oneLine(question));
    if (reply !== undefined) return reply;
    const clarification: Clarification = {
      question: oneLine(question),
      choices: choices.map((choice, index) => {
        const { label, description } = typeof choice === 'string' ? { label: choice, description: undefined } : choice;
        return { id: `${index + 1}`, label: oneLine(label), ...(description && { description: oneLine(description) }) };
      }),
    };
    memory.set(KEY, clarification);
    return { forModel: { asked: true }, forClient: clarification };
  },
};

/** Questions in a row that a user is asked back. */
const MAX_IN_A_ROW = 2;

/** What a model is told that asks back what the user has answered, or again and again. */
function settled(turns: readonly ChatTurn[], question: string): ToolOutcome | undefined {
  const replies = turns.filter(({ role }) => role === 'assistant').map(({ text }) => text);
  const isAnswered = oneLine(replies.at(-1) ?? '').includes(`${question} 1. `);
  const last = replies.slice(-MAX_IN_A_ROW);
  const isOften = last.length === MAX_IN_A_ROW && last.every((text) => choicesIn(text).length > 1);
  if (!isAnswered && !isOften) return undefined;
  return failed(
    isAnswered ? 'The user has just answered this question.' : 'The user was asked back twice already.',
    'Go on with what the conversation says; where it leaves a meaning open, take the most likely one and say which.',
  );
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The answer: the question, and the choices with the numbers that a reply may name. */
export function clarificationText({ question, choices }: Clarification): string {
  const lines = choices.map(({ label, description }, index) => {
    return `${index + 1}. ${label}${description === undefined ? '' : `: ${description}`}`;
  });
  return `${question}\n\n${lines.join('\n')}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const NUMBER_REPLY = new RegExp(
  `^\\W*(?:(?:the|option|choice|number|meaning|no|nr|nummer|i|mean|choose|pick|take|let\\W?s|go|with)\\W+)*(?:(\\d{1,2})(?:st|nd|rd|th)?|(${ORDINALS.join('|')})|(${NUMBERS.join('|')}))(?:\\W+(?:one|option|choice|meaning|please))*\\W*$`,
  'i',
);

/** The choices at the end of an answer, as `clarificationText` writes them. */
export function choicesIn(text: string): Choice[] {
  const choices: Choice[] = [];
  for (const line of text.trimEnd().split('\n').slice(-MAX_CHOICES).reverse()) {
    const [, number, label] = /^\s*(\d{1,2})[.)] (.+)$/.exec(line) ?? [];
    if (number === undefined || label === undefined) break;
    choices.unshift({ id: number, label });
    if (number === '1') return choices;
  }
  return [];
}

/** The choice that the question takes by its number; `undefined` when it is no such reply. */
export function chosenByNumber(turns: readonly ChatTurn[]): string | undefined {
  const [before, asked] = turns.slice(-2);
  if (before?.role !== 'assistant' || asked === undefined) return undefined;
  const [, digits, ordinal = '', number = ''] = NUMBER_REPLY.exec(asked.text.slice(0, 100)) ?? [];
  const word = ordinal.toLowerCase();
  const place = digits ? Number(digits) - 1 : Math.max(ORDINALS.indexOf(word), NUMBERS.indexOf(number.toLowerCase()));
  return choicesIn(before.text)[place]?.label;
}
