/** Collects how requests can carry credentials, for the description of the interface. */
import { collect } from '../../kernel/index.ts';

export interface SecurityScheme {
  /** Under which the description names it: `apiKey`. */
  readonly name: string;
  /** A security scheme object of OpenAPI 3.1. */
  readonly scheme: Readonly<Record<string, string>>;
  /** Codes that every route which needs an identity may answer where this plugin says who asks. */
  readonly errors?: readonly string[];
}

/** Every way in which a request can say who asks. */
export const httpSecurity = collect<undefined, SecurityScheme>('http.security', {
  summary: 'Ways for a request to carry credentials, for the description of the interface.',
});
