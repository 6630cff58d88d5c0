/** Composes what runs here: the built-in plugins. */
import { selfHosted } from './config/presets/self-hosted.ts';
import { defineConfig } from './kernel/index.ts';

export default defineConfig({ plugins: selfHosted() });
