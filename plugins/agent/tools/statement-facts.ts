/** Tells a reader what a tool call asked the database, what ran instead, and which plugins changed it and why. */
import type { Actor } from '../../../kernel/index.ts';
import { hasRight } from '../../auth-kit/index.ts';
import type { AnswerTable, StatementFacts } from '../api.ts';
import { answerNotes } from '../notes.ts';
import { noteTables } from '../outcome.ts';
import { shownTable } from './result-table.ts';

/** Only administrators are told the condition of a policy. */
export function statementFacts(toolCallId: string, table: AnswerTable, actor: Actor): StatementFacts {
  const { sql, executedSql, connectionId, durationMs, rowCount, truncated } = shownTable(table);
  const { statement, auditId = null } = table.ran ?? {};
  const { requested = sql, changes = [], tables = [] } = statement ?? {};
  const isAdmin = hasRight(actor, 'admin');
  // Two conditions of one table read the same without them.
  const reasons = new Map<string, StatementFacts['changes'][number]>();
  for (const { plugin, reason, fullReason = reason } of changes) {
    const shown = { plugin, reason: isAdmin ? fullReason : reason };
    reasons.set(JSON.stringify(shown), shown);
  }
  const notes = answerNotes();
  noteTables([table], notes);
  for (const message of table.notes ?? []) notes.add({ code: 'result', message });
  return {
    toolCallId,
    requested,
    executed: executedSql,
    changes: [...reasons.values()],
    tables: [...tables],
    connectionId,
    durationMs,
    rowCount,
    truncated,
    notes: [...notes.list],
    auditId,
    ...(table.about && { about: table.about }),
  };
}
