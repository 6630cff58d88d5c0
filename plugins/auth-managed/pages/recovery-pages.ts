/** The pages where people ask for a new password, set it, and confirm a new address. */
import type { RouteReply } from '../../../kernel/index.ts';
import { html, notValid, page } from './html.ts';

export function passwordRequestPage(isMailed: boolean): RouteReply {
  if (!isMailed) {
    const content = html`<p>This server sends no e-mail. Ask an administrator for help.</p>`;
    return page('Forgotten password', content, { status: 404 });
  }
  const content = html`<form data-do="request-password-reset">
<p>Enter the address of your account, and a link to choose a new password is mailed to it.</p>
<label>E-mail <input type="email" name="email" autocomplete="username" required maxlength="254"></label>
<button>Send the link</button>
</form>`;
  const done = 'If there is an account with this address, a mail with a link is on its way to it.';
  return page('Forgotten password', content, { done });
}

/** `email` of the account; `undefined`: the token is not valid. */
export function passwordResetPage(token: string, email: string | undefined, home: string | undefined): RouteReply {
  if (email === undefined) return notValid('No new password can be set by it.');
  const content = html`<form data-do="reset-password">
<input type="hidden" name="token" value="${token}">
<label>E-mail <input type="email" value="${email}" autocomplete="username" readonly></label>
<label>New password
<input type="password" name="newPassword" autocomplete="new-password" required minlength="8"></label>
<p>You are signed out everywhere.</p>
<button>Set the password</button>
</form>`;
  return page('New password', content, { done: 'Your new password is set. Sign in with it.', home });
}

/** `undefined`: the token is not valid. */
export function emailConfirmationPage(
  token: string,
  emails: { readonly before: string; readonly after: string } | undefined,
  home: string | undefined,
): RouteReply {
  if (emails === undefined) return notValid('No address can be confirmed by it.');
  const content = html`<form data-do="confirm-email">
<input type="hidden" name="token" value="${token}">
<p>The account of ${emails.before} gets the address ${emails.after}, with which you sign in from then on.</p>
<button>Confirm the address</button>
</form>`;
  return page('Confirm your address', content, { done: `The address of your account is ${emails.after}.`, home });
}
