/** Chooses the page of the administration by the address. */
import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import type { Me } from '../api/queries.ts';
import { LazyPart } from '../ui/lazy-part.tsx';
import { MissingPage } from '../ui/missing-page.tsx';
import styles from './admin.module.css';
import { type Area, areasOf } from './areas.ts';
import { ApprovalRulesPage } from './pages/approval-rules.tsx';
import { ApprovalsPage } from './pages/approvals.tsx';
import { AuditPage } from './pages/audit.tsx';
import { BackupsPage } from './pages/backups.tsx';
import { ConnectionsPage } from './pages/connections.tsx';
import { InvitationsPage } from './pages/invitations.tsx';
import { IpAllowlistPage } from './pages/ip-allowlist.tsx';
import { LearnPage } from './pages/learn.tsx';
import { ModelPage } from './pages/model.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PluginsPage } from './pages/plugins.tsx';
import { PromptsPage } from './pages/prompts.tsx';
import { RolesPage } from './pages/roles.tsx';
import { SchedulesPage } from './pages/schedules.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { UsagePage } from './pages/usage.tsx';
import { UsersPage } from './pages/users.tsx';
import { SemanticPage } from './semantic/semantic-page.tsx';
import { ADMIN } from './texts.ts';

interface PageProps {
  readonly me: Me;
}

const PAGES: Readonly<Partial<Record<Area, (props: PageProps) => ReactNode>>> = {
  overview: OverviewPage,
  users: UsersPage,
  roles: RolesPage,
  invitations: InvitationsPage,
  connections: ConnectionsPage,
  semantic: SemanticPage,
  learn: LearnPage,
  audit: AuditPage,
  model: ModelPage,
  prompts: PromptsPage,
  'ip-allowlist': IpAllowlistPage,
  'approval-rules': ApprovalRulesPage,
  plugins: PluginsPage,
  usage: UsagePage,
  backups: BackupsPage,
  settings: SettingsPage,
};

/** Pages with an address of their own, by their areas. */
export function OwnPage({ me, area }: PageProps & { readonly area: 'approvals' | 'schedules' }): ReactNode {
  if (!me.areas.includes(area)) return <MissingPage />;
  return area === 'approvals' ? <ApprovalsPage /> : <SchedulesPage />;
}

export function AdminPages({ me }: PageProps): ReactNode {
  const [, params] = useRoute('/admin/:area');
  const areas = areasOf(me).filter((area) => PAGES[area] !== undefined);
  // `/admin` is the overview, or the first area of whoever may not see it.
  const current = params === null ? areas[0] : areas.find((area) => area === params.area);
  const Page = current === undefined ? undefined : PAGES[current];
  if (Page === undefined) return <MissingPage />;
  return (
    <div className={styles.layout}>
      <nav aria-label={ADMIN.title} className={styles.areas}>
        {areas.map((area) => (
          <Link key={area} href={`/admin/${area}`} aria-current={area === current ? 'page' : undefined}>
            {ADMIN.areas[area]}
          </Link>
        ))}
      </nav>
      <div>
        <LazyPart key={current}>
          <Page me={me} />
        </LazyPart>
      </div>
    </div>
  );
}
