/** `atlas plugin create`: writes a package with a plugin that works, from a template. */
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AtlasError, type CliRun } from '../../../kernel/index.ts';
import { type Cli, fileFault, wrongUse } from '../../cli/index.ts';
import { checkedName, exportName } from './names.ts';
import { localPackage, type OwnPackage, ownPackage } from './own-package.ts';
import { packageFile } from './package-file.ts';
import { type CreatedType, PLUGIN_TYPES } from './plugin-types.ts';
import { readTemplate } from './template.ts';

function typeOf({ options }: CliRun): CreatedType {
  const type = PLUGIN_TYPES.find((one) => one === options.type);
  if (type === undefined) throw wrongUse('--type is missing.', `Types: ${PLUGIN_TYPES.join(', ')}.`);
  return type;
}

/** All files or none: they are written beside the folder, which then gets its name. */
function write(folder: string, files: ReadonlyMap<string, string>): void {
  const draft = join(dirname(folder), `.atlas-plugin-${randomUUID()}`);
  try {
    mkdirSync(draft);
    for (const [path, text] of files) {
      mkdirSync(dirname(join(draft, path)), { recursive: true });
      writeFileSync(join(draft, path), text);
    }
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new AtlasError(`The plugin could not be written: ${fileFault(error)}.`, {
      hint: 'Check that the working directory can be written to.',
      cause: error,
    });
  }
}

export async function createPlugin(run: CliRun, _cli: Cli, given: string): Promise<number> {
  const type = typeOf(run);
  const own = ownPackage();
  const name = checkedName(given, own);
  const folder = join(run.cwd, given);
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) {
    throw wrongUse(`./${given} is there already.`, 'Choose another name, or remove it.');
  }
  const template = readTemplate(type);
  const files = template.named({ package: given, plugin: name, exported: exportName(name, template.words) });
  const local = localPackage(run.cwd, folder, own);
  files.set('package.json', packageFile({ name: given, files, own, local }));
  // npm leaves files of this name out of packages, so it cannot stand among the templates.
  files.set('.gitignore', 'node_modules/\ndist/\n');
  write(folder, files);
  run.stdout.write(`Created ./${given}, a plugin of the type ${type}. Next:\n\n${nextSteps(given, own, local)}`);
  return 0;
}

function nextSteps(name: string, { isClone }: OwnPackage, local: string | undefined): string {
  const isPacked = isClone && local === undefined;
  const install = isPacked ? 'npm install --save-dev <file>.tgz' : 'npm install';
  const steps = [`cd ${name}`, install, 'npm test', 'cd ..', `npx atlas plugin add ./${name}`];
  const note = isPacked
    ? '\n"npm pack" in the clone of atlas-query makes <file>.tgz; once this version is published, "npm install" is enough.\n'
    : '';
  return `${steps.map((step) => `  ${step}\n`).join('')}${note}`;
}
