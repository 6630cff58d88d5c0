/** Finds a tool call in thoughts, where a server took all of a reply for thoughts. */
import type { WrittenCall } from './call-shapes.ts';
import type { OfferedTools } from './offered-tools.ts';
import { writtenCalls } from './written-calls.ts';

/** Markup that only begins calls: thoughts may well mention a tool or JSON. */
const CALL_MARKUP =
  /<(?:[\w-]{1,20}:)?(?:tool_calls?|function_calls?|function=|invoke )|<[|｜]tool|\[TOOL_CALLS\]|<\|python_tag\|>/i;

/** The calls of offered tools that stand in thoughts. */
export function callsInThoughts(thoughts: string, tools: OfferedTools): readonly WrittenCall[] {
  const start = CALL_MARKUP.exec(thoughts)?.index;
  return start === undefined ? [] : writtenCalls(thoughts.slice(start), tools.find, true).calls;
}
