/** Describes the events of both chat streams. */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { ErrorSchema } from '../http/index.ts';
import { RESULT_FACTS } from './result-facts.ts';

export const Usage = Type.Object(
  {
    inputTokens: Type.Integer(),
    outputTokens: Type.Integer(),
    totalTokens: Type.Integer(),
    estimated: Type.Optional(
      Type.Boolean({ description: 'True where the provider did not report all tokens, so that a part is estimated.' }),
    ),
  },
  { title: 'Usage' },
);

export const Outcome = Type.Union(
  [Type.Literal('answered'), Type.Literal('clarify'), Type.Literal('declined'), Type.Literal('failed')],
  {
    title: 'Outcome',
    description:
      'How the question ended. `clarify`: the user has to choose first; `declined`: the data cannot answer it; `failed`: no answer was reached.',
  },
);

export const Notes = Type.Array(Type.Object({ code: Type.String(), message: Type.String() }, { title: 'AnswerNote' }), {
  description:
    'What the reader should know: `truncated`, `policy_applied`, `assumption`, `ungrounded_figure` and others.',
});

const ChoiceList = Type.Array(
  Type.Object(
    { id: Type.Optional(Type.String()), label: Type.String(), description: Type.Optional(Type.String()) },
    { title: 'Choice' },
  ),
  { description: 'With the outcome `clarify`: what the user can choose from.' },
);
export const Choices = Type.Optional(ChoiceList);

const Verification = Type.Object(
  {
    name: Type.String({ description: 'Of the verified query.' }),
    by: Type.String({ description: 'Who vouches for its statement.' }),
    at: Type.String({ description: 'Since when.' }),
    parameters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What was put into it, by name. A period is `{from, to}`, the end exclusive.',
    }),
  },
  {
    title: 'Verification',
    description: 'Every table of the answer comes from a verified query; this is the last of them.',
  },
);
export const Verified = Type.Optional(Verification);

const Statement = Type.Object(
  {
    toolCallId: Type.String({ description: 'The call whose result it is. The last statement of a call holds.' }),
    requested: Type.String({ description: 'As the model wrote it.' }),
    executed: Type.String({ description: 'What the database ran, policies included; `?` in place of their literals.' }),
    changes: Type.Array(Type.Object({ plugin: Type.String(), reason: Type.String() }), {
      description:
        'What was done to it or to its rows, by which plugin, and why. Only administrators are told the condition of a policy.',
    }),
    tables: Type.Array(Type.String()),
    connectionId: Type.String(),
    durationMs: Type.Number(),
    rowCount: Type.Integer(),
    truncated: Type.Boolean(),
    notes: Notes,
    auditId: Type.Union([Type.String(), Type.Null()], { description: 'The audit entry; null where none is stored.' }),
    about: Type.Optional(
      Type.Object(RESULT_FACTS, {
        title: 'ResultFacts',
        description: 'What plugins tell of the rows, as in DataTable.',
      }),
    ),
  },
  { title: 'Statement', description: 'What a tool call asked the database, and what ran.' },
);

export const PendingActions = Type.Optional(
  Type.Array(
    Type.Object(
      {
        id: Type.String(),
        type: Type.String(),
        target: Type.String(),
        summary: Type.String(),
        approveUrl: Type.String(),
        denyUrl: Type.String(),
      },
      { title: 'PendingAction' },
    ),
    {
      description:
        'Actions that await approval: a POST to one of the URLs approves or denies. Always there where actions are enabled.',
    },
  ),
);

const ToolCallId = Type.String({ description: 'Never the same again.' });

/** An event as the line that it is: `data: <code>:<value as JSON>`. */
function codeEvent<T extends TSchema>(title: string, code: string, description: string, value: T) {
  return Type.Object({ code: Type.Literal(code), value }, { title, description });
}

/** `data: <code>:<value as JSON>` and an empty line. */
export const CodeStreamEvent = Type.Union(
  [
    codeEvent('TextEvent', '0', 'A piece of the text.', Type.String()),
    codeEvent(
      'ToolCallEvent',
      '9',
      'A tool is called: executeSQL with the SQL, explore with a path or a command.',
      Type.Object({ toolCallId: ToolCallId, toolName: Type.String(), args: Type.Unknown() }),
    ),
    codeEvent(
      'ToolResultEvent',
      'a',
      'What the tool answered: of a statement columns and rows, of a failure {error, hint}.',
      Type.Object({ toolCallId: ToolCallId, result: Type.Unknown() }),
    ),
    codeEvent('ErrorEvent', '3', 'The answer broke off; a finish follows.', ErrorSchema),
    codeEvent(
      'FinishEvent',
      'd',
      'The last event.',
      Type.Object({
        finishReason: Type.Union([Type.Literal('stop'), Type.Literal('length'), Type.Literal('error')], {
          description: '`length`: a limit of steps or tokens cut the answer.',
        }),
        usage: Type.Optional(Usage),
        steps: Type.Optional(Type.Integer({ description: 'Model calls made.' })),
        outcome: Type.Optional(Outcome),
        notes: Type.Optional(Notes),
        choices: Choices,
        verified: Verified,
        pendingActions: PendingActions,
      }),
    ),
  ],
  {
    title: 'CodeStreamEvent',
    description: 'One event of the default stream: a line `data: <code>:<value as JSON>` and an empty line.',
  },
);

/** A chunk as the line that it is: `data: <chunk as JSON>`. */
function chunk(type: string, properties: TProperties) {
  const title = `Ui${type.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Chunk`;
  return Type.Object({ type: Type.Literal(type), ...properties }, { title });
}

const PartId = Type.String({ description: 'Of the piece of text or reasoning within the message.' });

/** `data: <chunk as JSON>` and an empty line. */
export const UiStreamChunk = Type.Union(
  [
    chunk('start', {
      messageId: Type.String({ description: 'Id of the answer, also where it is stored.' }),
      messageMetadata: Type.Optional(Type.Object({ conversationId: Type.String({ format: 'uuid' }) })),
    }),
    chunk('start-step', {}),
    chunk('reasoning-start', { id: PartId }),
    chunk('reasoning-delta', { id: PartId, delta: Type.String() }),
    chunk('reasoning-end', { id: PartId }),
    chunk('text-start', { id: PartId }),
    chunk('text-delta', { id: PartId, delta: Type.String() }),
    chunk('text-end', { id: PartId }),
    chunk('tool-input-available', { toolCallId: ToolCallId, toolName: Type.String(), input: Type.Unknown() }),
    chunk('tool-output-available', { toolCallId: ToolCallId, output: Type.Unknown() }),
    chunk('tool-output-error', { toolCallId: ToolCallId, errorText: Type.String() }),
    chunk('finish-step', {}),
    chunk('data-outcome', {
      id: Type.String(),
      data: Type.Object({ outcome: Outcome, notes: Notes, choices: Choices }),
    }),
    chunk('data-statement', { id: ToolCallId, data: Statement }),
    chunk('data-choices', { id: Type.String(), data: Type.Object({ choices: ChoiceList }) }),
    chunk('data-verified', { id: Type.String(), data: Verification }),
    chunk('data-suggestions', {
      id: Type.String(),
      data: Type.Object({ suggestions: Type.Array(Type.String(), { description: 'Questions that may follow.' }) }),
    }),
    chunk('error', { errorText: Type.String() }),
    chunk('finish', {
      finishReason: Type.Union([Type.Literal('stop'), Type.Literal('length'), Type.Literal('error')]),
      messageMetadata: Type.Optional(
        Type.Object({ usage: Usage, outcome: Outcome, notes: Notes, choices: Choices, pendingActions: PendingActions }),
      ),
    }),
  ],
  {
    title: 'UiStreamChunk',
    description:
      'One event of `?stream=ui`, the UI message stream of the AI SDK: a line `data: <chunk as JSON>` and an empty line. `data: [DONE]` is the last line.',
  },
);
