/** Turns the evidence of a question into terms of a glossary. */

export interface EvidenceTerm {
  readonly term: string;
  readonly status: 'defined';
  readonly definition: string;
}

const DEFINITION =
  /^(.{1,120}?)\s*(?:\brefers? to\b|\bmeans?\b|\bstands? for\b|\bis calculated as\b|\bcan be represented (?:as|by)\b|=)\s*(.+)$/is;

/** Evidence is a list of "X refers to Y" between semicolons; what is no definition is a term named after the question. */
export function evidenceTerms(evidence: string): EvidenceTerm[] {
  const terms = new Map<string, EvidenceTerm>();
  const parts = evidence
    .split(/;|\n/)
    .map((part) => part.trim())
    .filter(Boolean);
  for (const [index, part] of parts.entries()) {
    const [, term = '', meaning] = DEFINITION.exec(part) ?? [];
    const name = meaning === undefined ? `note ${index + 1}` : term.replace(/^["'`]|["'`,:]$/g, '').trim();
    const definition = meaning === undefined ? part : meaning.trim();
    const key = name.toLowerCase();
    const earlier = terms.get(key);
    terms.set(key, {
      term: name || `note ${index + 1}`,
      status: 'defined',
      definition: earlier === undefined ? definition : `${earlier.definition}; ${definition}`,
    });
  }
  return [...terms.values()];
}
