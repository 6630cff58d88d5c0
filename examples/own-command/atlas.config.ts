/** The built-in composition with a command of one's own. */
import { defineConfig } from 'atlas-query';
import { selfHosted } from 'atlas-query/presets/self-hosted';
import { listTables } from './list-tables.ts';

export default defineConfig({ plugins: [...selfHosted(), listTables()] });
