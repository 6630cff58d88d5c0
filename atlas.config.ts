/** What runs here: the built-in composition. Copy the list in `config/presets/self-hosted.ts` to compose your own. */
import { readEnv } from './config/env.ts';
import { selfHosted } from './config/presets/self-hosted.ts';
import { defineConfig } from './kernel/index.ts';

export default defineConfig({ plugins: selfHosted(readEnv(process.env).env) });
