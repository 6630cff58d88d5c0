/** Writes what a prompt says of a layer that is too large for it, the same for every question. */
import type { VisibleModel } from '../hidden-columns.ts';
import type { ModelEntity, SemanticModel } from '../model.ts';
import { BoundedText } from './bounded-text.ts';
import { DETAIL_LEVELS, entitySummary, header, line, renderEntity, renderMetric, renderTerm } from './render.ts';

/** Shares of the space for each section. */
const GLOSSARY_SHARE = 0.2;
const METRICS_SHARE = 0.15;
const NAMES_PER_LINE = 8;

export interface Overview {
  readonly text: string;
  /** Whether every term is in it, and every metric. */
  readonly hasTerms: boolean;
  readonly hasMetrics: boolean;
  /** Whether the columns of every entity are. */
  readonly hasColumns: boolean;
}

/** How entities are written: the first way in which all of them fit. */
const WAYS: readonly { readonly title: string; render(entity: ModelEntity): string }[] = [
  ...DETAIL_LEVELS.slice(1).map((level) => ({
    title: '# Entities',
    render: (entity: ModelEntity) => renderEntity(entity, level),
  })),
  { title: '# Entities: columns; measures; joined entities', render: entitySummary },
];

/** At most `maxBytes` of UTF-8; where not even the names of all entities fit, as many as do. */
export function overview(model: SemanticModel, visible: VisibleModel, maxBytes: number): Overview {
  const { entities, metrics, glossary } = visible;
  const text = new BoundedText(maxBytes);
  text.add(header(model));
  const terms = new BoundedText(maxBytes * GLOSSARY_SHARE);
  const isAmbiguous = ({ status }: (typeof glossary)[number]) => status === 'ambiguous';
  const sorted = [...glossary.filter(isAmbiguous), ...glossary.filter((term) => !isAmbiguous(term))];
  const hasTerms = terms.addList('# Glossary', sorted, (term) => renderTerm(term, model.entity(term.entity ?? '')));
  text.add(terms.toString());
  const figures = new BoundedText(maxBytes * METRICS_SHARE);
  const hasMetrics = figures.addList('# Metrics', metrics, (metric) =>
    renderMetric(metric, model.entity(metric.entity ?? '')),
  );
  text.add(figures.toString());
  for (const { title, render } of WAYS) {
    const list = new BoundedText(text.spaceLeft);
    if (!list.addList(title, entities, render)) continue;
    text.add(list.toString());
    return { text: text.toString(), hasTerms, hasMetrics, hasColumns: true };
  }
  text.addList(`# Some of the names of ${entities.length} entities`, nameLines(entities), (names) => names);
  return { text: text.toString(), hasTerms, hasMetrics, hasColumns: false };
}

function nameLines(entities: readonly ModelEntity[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < entities.length; at += NAMES_PER_LINE) {
    lines.push(
      line(
        entities
          .slice(at, at + NAMES_PER_LINE)
          .map(({ name }) => name)
          .join(', '),
      ),
    );
  }
  return lines;
}
