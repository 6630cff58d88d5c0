/** Notes, where the limit of rows has cut a result of an answer, that all rows can be exported. */
import type { Ask } from '../agent/index.ts';

const NOTE = { code: 'export_available', message: 'All rows can be exported into a file (POST /api/v1/exports).' };

export function noteExports(ask: Ask): Ask {
  return async function* (question, scope, isStreamed) {
    for await (const event of ask(question, scope, isStreamed)) {
      const isCut = event.type === 'finish' && event.answer.data.some(({ truncated }) => truncated);
      if (!isCut) yield event;
      else yield { ...event, answer: { ...event.answer, notes: [...event.answer.notes, NOTE] } };
    }
  };
}
