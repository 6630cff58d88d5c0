/** Builds the report of an answer, as it is delivered. */
import type { Answer } from '../agent/index.ts';
import { datasetOf, MAX_REPORT_ROWS, type Report } from '../delivery-kit/index.ts';
import type { TaskRow } from './rows.ts';

const MAX_ANSWER_LENGTH = 100_000;
/** Limit of the report as JSON, in characters. */
const MAX_LENGTH = 1_000_000;

type ReportedTask = Pick<TaskRow, 'id' | 'name' | 'question'>;

/** With fewer rows of each dataset than usual where they are very long. `reason`: why it is delivered, where the task has a condition. */
export function reportOf(task: ReportedTask, answer: Answer, reason: string | undefined, now: number): Report {
  const { text, sql, steps, verified } = answer;
  const { totalTokens, estimated } = answer.usage;
  const datasets = answer.data.map(datasetOf);
  for (let maxRows = MAX_REPORT_ROWS; ; maxRows = Math.floor(maxRows / 4)) {
    const report: Report = {
      taskId: task.id,
      taskName: task.name,
      question: task.question,
      answer: text.slice(0, MAX_ANSWER_LENGTH),
      ...(verified !== undefined && { verified }),
      ...(reason !== undefined && { deliveryReason: reason }),
      sql: [...sql],
      data: datasets.map(({ rows, truncated, ...dataset }) => ({
        ...dataset,
        rows: rows.slice(0, maxRows),
        truncated: truncated || rows.length > maxRows,
      })),
      steps,
      usage: { totalTokens, ...(estimated && { estimated }) },
      timestamp: new Date(now).toISOString(),
    };
    if (maxRows === 0 || JSON.stringify(report).length <= MAX_LENGTH) return report;
  }
}

/** Stands for the report of a task that has not run yet, in a preview. */
export function sampleReport(task: ReportedTask, now: number): Report {
  return {
    taskId: task.id,
    taskName: task.name,
    question: task.question,
    answer: 'This is a sample: the task has not been answered yet.',
    sql: ['SELECT region, revenue FROM sample'],
    data: [
      {
        columns: ['region', 'revenue'],
        rows: [
          { region: 'North', revenue: 1200 },
          { region: 'South', revenue: 800 },
        ],
        totalRows: 2,
        truncated: false,
      },
    ],
    steps: 2,
    usage: { totalTokens: 0 },
    timestamp: new Date(now).toISOString(),
  };
}
