/** Collects the verified queries of a layer, and reports those that cannot be used. */
import type { LayerFile } from '../files/layer-file.ts';
import type { Path } from '../files/yaml.ts';
import type { ModelVerifiedQuery } from '../model.ts';
import type { VerifiedQuery } from '../schema.ts';

type Report = (file: LayerFile, path: Path, message: string) => void;

export function buildVerified(files: readonly LayerFile[], report: Report): ModelVerifiedQuery[] {
  const queries = new Map<string, ModelVerifiedQuery>();
  for (const file of files.filter(({ kind }) => kind === 'verified')) {
    for (const item of file.items) {
      const query = item.value as VerifiedQuery;
      const taken = queries.get(query.name);
      if ((query.sql === undefined) === (query.plan === undefined)) {
        report(file, [], `The verified query \`${query.name}\` needs either \`sql\` or \`plan\`.`);
      } else if (taken !== undefined) {
        report(file, ['name'], `\`${taken.file}\` is called \`${query.name}\` as well; rename or remove one.`);
      } else queries.set(query.name, Object.freeze({ ...query, file: file.path, source: file.source }));
    }
  }
  return [...queries.values()];
}
