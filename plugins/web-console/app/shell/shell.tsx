/** Lays out every page: banner, navigation, the content, and the keys that work everywhere. */
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { visibleText } from '../../../text-kit/index.ts';
import { AccountMenu } from '../account/account-menu.tsx';
import { type Me, usePendingApprovals } from '../api/queries.ts';
import { TEXTS } from '../texts.ts';
import { Menu } from '../ui/menu.tsx';
import { ShownText } from '../ui/shown-text.tsx';
import { KeyList } from './key-list.tsx';
import { pagesOf } from './pages.ts';
import { Palette } from './palette.tsx';
import styles from './shell.module.css';
import { setTheme, storedTheme, THEMES } from './theme.ts';

function ThemeMenu(): ReactNode {
  const [theme, choose] = useState(storedTheme);
  const items = THEMES.map((name) => ({
    label: TEXTS.theme[name],
    isChecked: name === theme,
    onSelect: () => {
      setTheme(name);
      choose(name);
    },
  }));
  return <Menu isQuiet label={TEXTS.theme.label} items={items} />;
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/** A page, or one below it. */
const isWithin = (path: string, href: string) => path === href || (href !== '/' && path.startsWith(`${href}/`));

/** Shown beside the link to the approvals, which leads to them. */
function PendingCount(): ReactNode {
  const count = usePendingApprovals();
  if (count === 0) return null;
  return (
    <>
      {' '}
      <span className={styles.badge}>
        {count.toLocaleString()}
        <span className="visually-hidden"> {TEXTS.navigation.pending}</span>
      </span>
    </>
  );
}

export interface ShellProps {
  /** `undefined` until the server has said who asks. */
  readonly me: Me | undefined;
  readonly children: ReactNode;
}

export function Shell({ me, children }: ShellProps): ReactNode {
  const [path, navigate] = useLocation();
  const [open, setOpen] = useState<'keys' | 'palette' | undefined>();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOpen('palette');
      } else if (event.key === '?' && !isTyping(event.composedPath()[0] ?? null)) setOpen('keys');
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  // Who has to sign in first has nowhere to go, nor does the palette wait for whoever does.
  if (open === 'palette' && me === undefined) setOpen(undefined);
  const close = () => setOpen(undefined);
  return (
    <>
      <a href="#content" className={styles.skip}>
        {TEXTS.skip}
      </a>
      <header className={styles.banner}>
        <Link href="/" className={styles.brand}>
          {TEXTS.product}
        </Link>
        <nav aria-label={TEXTS.navigation.main} className={styles.pages}>
          {pagesOf(me).map(({ href, label }) => (
            <Link key={href} href={href} aria-current={isWithin(path, href) ? 'page' : undefined}>
              {label}
              {href === '/approvals' && <PendingCount />}
            </Link>
          ))}
        </nav>
        {me?.model && (
          <span className={styles.model} title={visibleText(TEXTS.model.label(me.model.modelId))}>
            <ShownText text={me.model.isOffline ? TEXTS.model.offline : me.model.modelId} />
          </span>
        )}
        <ThemeMenu />
        {me !== undefined && <AccountMenu me={me} />}
      </header>
      <main id="content" tabIndex={-1} className={styles.main}>
        {me?.mode === 'none' && (
          <p role="note" className={styles.notice}>
            {TEXTS.account.open}
          </p>
        )}
        {children}
      </main>
      {open === 'keys' && <KeyList onClose={close} />}
      {open === 'palette' && me !== undefined && <Palette me={me} onClose={close} onGo={(href) => navigate(href)} />}
    </>
  );
}
