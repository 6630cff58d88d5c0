/** Names the tables, and declares a row of a question. */

/** One row for each question that called a model. */
export const QUESTIONS = 'usage_questions';
/** Sums of each user by organization, day and model, for reports. */
export const DAYS = 'usage_days';
/** Tokens of each user by day and of each organization by month, for budgets. */
export const TOTALS = 'usage_totals';
/** Tokens that running questions may still take of these totals. */
export const RESERVATIONS = 'usage_reservations';

export interface QuestionRow {
  readonly id: string;
  /** ISO 8601. */
  readonly asked_at: string;
  /** In UTC, `YYYY-MM-DD`. */
  readonly day: string;
  /** Empty: anonymous. */
  readonly user_id: string;
  /** Empty: of no organization. */
  readonly org_id: string;
  readonly surface: string;
  readonly request_id: string;
  readonly conversation_id: string | null;
  readonly provider: string;
  readonly model: string;
  readonly model_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Part of the input tokens. */
  readonly cached_input_tokens: number;
  /** Part of the tokens: of calls whose provider did not say how many they were. */
  readonly estimated_tokens: number;
  /** `null`: the model has no price. */
  readonly cost: number | null;
  /** False: it failed, or its reader left. */
  readonly is_answered: boolean;
}
