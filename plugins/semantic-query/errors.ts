/** Reports a plan that cannot be compiled as it stands. `choices` lists the alternatives to choose from, if any. */
export class PlanError extends Error {
  readonly code: 'unknown_name' | 'ambiguous_name' | 'ambiguous_path' | 'no_path' | 'fan_out' | 'invalid_plan';
  readonly choices: readonly string[];
  constructor(code: PlanError['code'], message: string, choices: readonly string[] = []) {
    super(message);
    this.name = 'PlanError';
    this.code = code;
    this.choices = choices;
  }
}
