/** Shows an invitation to the person who opens its link, who joins with a new account or with the one they have. */
import type { RouteReply } from '../../../kernel/index.ts';
import type { PendingInvitation } from '../accounts/invitations.ts';
import { html, notValid, page } from './html.ts';

export interface InvitationPageInit {
  /** Whether people may create their own accounts. */
  readonly signUp: boolean;
  /** Whether the server sends mails, such as for a forgotten password. */
  readonly isMailed: boolean;
  /** The page to go on to. */
  readonly home: string | undefined;
}

export function invitationPage(
  invitation: PendingInvitation | undefined,
  { signUp, isMailed, home }: InvitationPageInit,
): RouteReply {
  if (invitation === undefined) return notValid('There is no such invitation. Ask for a new one.');
  const { id, email, organization, inviter, role, expiresAt } = invitation;
  const about = html`<input type="hidden" name="invitationId" value="${id}">
<label>E-mail <input type="email" name="email" value="${email}" autocomplete="username" readonly></label>`;
  const newAccount = html`<form data-do="sign-up">
<h2>I am new here</h2>
${about}
<label>Name <input name="name" autocomplete="name" required maxlength="200"></label>
<label>New password <input type="password" name="password" autocomplete="new-password" required minlength="8"></label>
<button>Create account and join</button>
</form>`;
  const content = html`<p>${inviter} invites you to the organization “${organization}” on Atlas, with the role ${role}.
The invitation is for ${email}, and ends at ${expiresAt}.</p>
<form data-do="accept" hidden>
<p>You are signed in with this address.</p>
${about}
<button>Join</button>
</form>
${signUp ? newAccount : []}
<form data-do="sign-in">
<h2>I have an account</h2>
${about}
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in and join</button>
${isMailed ? html`<p><a href="../request-password-reset">I have forgotten my password</a></p>` : []}
</form>`;
  return page(`Join ${organization}`, content, { done: `You have joined ${organization}. You are signed in.`, home });
}
