/** Reads the projects of other tools, puts them over generated files, and says what was taken. */
import { printableText } from '../../cli/index.ts';
import type { Content } from '../files/merge.ts';
import { overlay } from './overlay.ts';
import type { NamedProject } from './read-project.ts';

const MAX_LINES = 500;
const TOOLS = { dbt: 'dbt', cube: 'Cube', lookml: 'LookML', snowflake: 'Snowflake' } as const;

/** Loaded on demand: most runs need no parser of JavaScript. */
export async function projectsOf(given: string, cwd: string): Promise<NamedProject[]> {
  const { readProjects } = await import('./read-project.ts');
  return readProjects(given, cwd);
}

export function withProjects(generated: ReadonlyMap<string, Content>, projects: readonly NamedProject[]) {
  const said = new Set<unknown>();
  const lines: string[] = [];
  let files = new Map(generated);
  for (const project of projects) {
    const taken = overlay(files, project);
    files = taken.files;
    for (const part of taken.said) said.add(part);
    const { verified = [], tool } = project;
    lines.push(
      tool === 'snowflake'
        ? `From Snowflake: ${verified.length} verified queries. They are examples until somebody vouches for them here: "atlas verified vouch <name>".`
        : `From ${TOOLS[tool]}: ${taken.entities} entities and ${taken.metrics} metrics.`,
    );
    const { notTaken } = taken;
    if (notTaken.length > 0) lines.push(`Not taken from ${TOOLS[project.tool]}:`);
    lines.push(...notTaken.slice(0, MAX_LINES).map((line) => `  ${line}`));
    if (notTaken.length > MAX_LINES) lines.push(`  and ${notTaken.length - MAX_LINES} more`);
  }
  return { files, said, told: lines.length === 0 ? '' : `${printableText(lines.join('\n'))}\n` };
}
