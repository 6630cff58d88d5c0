/** Starts the console in the page. */
import './zod-jitless.ts';
import './styles/tokens.css';
import './styles/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme, storedTheme } from './shell/theme.ts';
import { reloadOnceAfterUpgrade } from './shell/upgrade.ts';

applyTheme(storedTheme());
reloadOnceAfterUpgrade();
const root = document.getElementById('console');
if (root !== null) createRoot(root).render(<App />);
