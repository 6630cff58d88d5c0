/** Provides the tool `answerVerified`, and tells models and the offline reader which verified queries fit a question. */
import { type Static, Type } from '@sinclair/typebox';
import {
  type AgentTool,
  AtlasError,
  type ContextPart,
  type PluginContext,
  type Question,
  type Scope,
} from '../../kernel/index.ts';
import {
  APPROVAL_HINT,
  notesOf,
  type Recognition,
  resultForModel,
  shownTable,
  tableOf,
  type VerifiedValue,
  verify,
} from '../agent/index.ts';
import { formattedValue } from '../result-kit/index.ts';
import type { ModelVerifiedQuery } from '../semantic-layer/index.ts';
import { choiceOf, isVouched, UNKNOWN, type VerifiedQueryFinder } from './queries.ts';

const TOOL = 'answerVerified';
const Input = Type.Object({
  name: Type.String({ description: 'name of the verified query' }),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'as the part "Verified queries" gives them' }),
  ),
});

const DESCRIPTION =
  'Answers with a verified query, for whose statement a person vouches. Call it first, and nothing else, where the part ' +
  '"Verified queries" says that one answers the question; it refuses every other question. The queries that are listed ' +
  'there as examples are right SQL to adapt with executeSQL.';

const MAX_EXAMPLE_CHARS = 800;
/** A model with less room gets no examples. */
const MIN_ROOM_BYTES = 4_096;

export interface ToolInit {
  readonly ctx: PluginContext;
  readonly finder: VerifiedQueryFinder;
  /** Why the label of a query is withheld; `undefined` where it is not. */
  withheld(query: ModelVerifiedQuery, scope: Scope): Promise<string | undefined>;
  readonly resultBudgetBytes: number;
}

export function answerVerifiedTool({ ctx, finder, withheld, resultBudgetBytes }: ToolInit): AgentTool {
  return {
    name: TOOL,
    description: DESCRIPTION,
    input: Input,
    async run(input, { question, scope, memory }) {
      const { name, parameters = {} } = input as Static<typeof Input>;
      const { certain } = await finder.find(question, scope);
      const match = certain.find(({ query }) => query.name === name);
      if (match === undefined || certain.length > 1) throw uncertain(name, certain.map(choiceOf));
      const { query, values } = match;
      if (Object.entries(parameters).some(([key, value]) => !isSaid(value, values[key])))
        throw refused('The question says other parameters.', `They are ${JSON.stringify(values)}.`);
      const { sql, connectionId } = await finder.statement(query, values, scope);
      const { surface, conversationId, room } = question;
      const request = { sql, connectionId, surface, ...(conversationId !== undefined && { conversationId }) };
      const reply = await ctx.runSql(request, scope);
      const table = tableOf(reply, sql);
      const why = await withheld(query, scope);
      if (why === undefined) {
        const { verifiedBy: by = '', verifiedAt: at = '' } = query;
        verify(memory, table, { name, by, at, parameters: values });
      } else {
        const message = `The verified query "${name}" answered, but nobody vouches for it any more: ${why}`;
        // The reason may be what the database says of the statement.
        notesOf(memory).add({ code: 'verification_withheld', message, quotesSql: true });
      }
      return {
        forModel: {
          question: match.asked,
          sql,
          ...resultForModel(reply.result, room?.resultBytes ?? resultBudgetBytes),
        },
        forClient: shownTable(table),
        table,
      };
    },
  };
}

/** Whether an argument is the value that was read; one that is left out is. */
function isSaid(given: unknown, value: VerifiedValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return given === null || String(given) === String(value);
  const { from, to } = Object(given) as Readonly<Record<string, unknown>>;
  return given === null || (from === value.from && to === value.to);
}

const refused = (message: string, hint: string) => new AtlasError(message, { code: 'invalid_request', hint });

function uncertain(name: string, choices: readonly string[]): AtlasError {
  if (choices.length > 1) return refused('Several verified queries answer this question.', asked(choices));
  return refused(
    `It is not certain that the verified query "${name}" answers this question.`,
    'Answer it with the other tools. The statement of the verified query may serve as an example.',
  );
}

const asked = (choices: readonly string[]) =>
  `Call clarify with these choices: ${choices.map((choice, at) => `${at + 1}. ${choice}`).join('; ')}.`;

/** What the model is told of the verified queries that fit the question; untrusted, as it comes from the layer. */
export async function contextParts(
  finder: VerifiedQueryFinder,
  question: Question,
  scope: Scope,
): Promise<ContextPart[]> {
  const { certain, near } = await finder.find(question, scope);
  const [only, another] = certain;
  const lines: string[] = [];
  if (only !== undefined && another === undefined) {
    const call = JSON.stringify({ name: only.query.name, parameters: only.values });
    lines.push(`"${only.asked}" is answered by ${TOOL} with ${call}`);
  } else if (only !== undefined) {
    lines.push(`Several verified queries answer the question. ${asked(certain.map(choiceOf))}`);
  } else if ((question.room?.contextBytes ?? MIN_ROOM_BYTES) >= MIN_ROOM_BYTES) {
    for (const { query } of near) {
      const body = query.sql ?? `queryMetrics ${JSON.stringify(query.plan)}`;
      lines.push(`Example: ${query.question}\n${body.slice(0, MAX_EXAMPLE_CHARS)}`);
    }
  }
  if (lines.length === 0) return [];
  return [{ title: 'Verified queries', text: lines.join('\n\n'), trusted: false, perQuestion: true }];
}

/** What the offline reader does: it calls the tool, asks which is meant, or offers what it does not understand. */
export async function recognition(
  finder: VerifiedQueryFinder,
  question: Question,
  scope: Scope,
): Promise<Recognition[]> {
  const { certain, near } = await finder.find(question, scope);
  const [only, another] = certain;
  if (only !== undefined && another !== undefined) {
    const text = choicesText(
      'Several verified queries answer this question. Which one do you mean?',
      certain.map(choiceOf),
    );
    return [() => ({ text, outcome: 'clarify' })];
  }
  if (only !== undefined) {
    const { query, values, asked: restated } = only;
    const input = JSON.stringify({ name: query.name, parameters: values });
    const answer: Recognition = ({ prompt, tools = [] }, read) => {
      const given = lastResult(prompt);
      if (given === undefined)
        return tools.some(({ name }) => name === TOOL) ? { calls: [{ toolName: TOOL, input }] } : read();
      if (given.error === undefined)
        return { text: `${rowsText(given)}\n\nRead as: ${restated.replace(/[?!.]*$/, '.')}` };
      // Another statement would await an approval of its own.
      return given.hint?.startsWith(APPROVAL_HINT) ? { text: given.error } : read();
    };
    return [answer];
  }
  const offered = near.flatMap((one) => (one.asked === undefined || !isVouched(one.query) ? [] : one.asked));
  if (offered.length === 0) return [];
  const offer: Recognition = async (_, read) => {
    const own = await read();
    if (!('text' in own) || own.outcome !== 'declined') return own;
    return { text: choicesText(UNKNOWN, offered), outcome: 'clarify' };
  };
  return [offer];
}

const choicesText = (question: string, choices: readonly string[]) =>
  `${question}\n\n${choices.map((choice, at) => `${at + 1}. ${choice}`).join('\n')}`;

type Given = Readonly<
  Partial<{ error: string; hint: string; columns: string[]; rows: Record<string, unknown>[]; rowCount: number }>
>;

/** What the tool has given since the last message of the user. */
function lastResult(prompt: Parameters<Recognition>[0]['prompt']): Given | undefined {
  let given: Given | undefined;
  for (const { role, content } of prompt) {
    if (role === 'user') given = undefined;
    if (role !== 'tool') continue;
    for (const part of content)
      if (part.type === 'tool-result' && part.toolName === TOOL && part.output.type === 'json')
        given = part.output.value as Given;
  }
  return given;
}

const SHOWN_ROWS = 12;

function rowsText({ columns = [], rows = [], rowCount = rows.length }: Given): string {
  const [first] = rows;
  if (first === undefined) return 'No rows match.';
  const label = (name: string) => name.replaceAll('_', ' ');
  const value = (row: Record<string, unknown>, name: string) => shownValue(row[name]);
  if (rowCount === 1) return `${columns.map((name) => `${label(name)}: ${value(first, name)}`).join('; ')}.`;
  const lines = rows.slice(0, SHOWN_ROWS).map((row) => `- ${columns.map((name) => value(row, name)).join(', ')}`);
  const rest = rowCount > lines.length ? `\n… ${rowCount - lines.length} more rows in the table.` : '';
  return `${columns.map(label).join(', ')}:\n${lines.join('\n')}${rest}`;
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'number') return formattedValue(value, undefined, 'en-US') ?? String(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
