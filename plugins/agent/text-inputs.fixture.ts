/** Lists where the agent reads texts of others, for the test that measures how long that takes. */
import { anyText, statements } from '../../test/growth/shapes.ts';
import { KIB, QUESTION, STATEMENT, type TextInput } from '../../test/growth/text-input.ts';
import { spelling } from './execute-sql.ts';
import { conversation } from './prompt.ts';
import { toolCall } from './tools.ts';

export const textInputs: readonly TextInput[] = [
  {
    name: 'conversation for a model',
    longest: 1024 * KIB,
    shapes: anyText,
    read: (text) => {
      const turns = (text.match(/[\s\S]{1,64}/g) ?? []).map((part) => ({ role: 'user' as const, text: part }));
      return conversation(turns, 16 * KIB);
    },
  },
  {
    name: 'arguments of a tool',
    longest: QUESTION,
    shapes: anyText,
    read: (text) => toolCall({ toolCallId: text, toolName: text, input: text }, new Set()),
  },
  { name: 'statement of a model', longest: STATEMENT, shapes: { ...anyText, ...statements }, read: spelling },
];
