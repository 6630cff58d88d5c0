/** Style and script of the HTML pages. Their hashes stand in the pages' policy, so they hold no value of a request. */

export const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 1rem; }
main { max-width: 26rem; margin: 2rem auto; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.2; }
h2 { font-size: 1.1rem; margin-bottom: 0; }
a { color: inherit; }
label { display: block; margin-top: 0.75rem; }
input, button { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: 0.5rem; font: inherit; }
button { margin-top: 1rem; cursor: pointer; }
[role="alert"] { color: #b00020; font-weight: 600; }
@media (prefers-color-scheme: dark) { [role="alert"] { color: #ff8a80; } }
[hidden] { display: none; }
`;

/** Each form names in \`data-do\` what it does. Addresses are relative, as the server may be reached below a path. */
export const SCRIPT = `
'use strict';
const ask = async (path, body) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, body === undefined ? {} : init);
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  throw new Error((answer && answer.message) || 'The server answered ' + response.status + '. Try again.');
};
const accept = async ({ invitationId }) => {
  const { member } = await ask('accept-invitation', { invitationId });
  await ask('set-active', { organizationId: member.organizationId }).catch(() => {});
};
const signIn = async ({ email, password, ...given }) => {
  await ask('../sign-in/email', { email, password });
  await accept(given);
};
const actions = {
  accept,
  'sign-in': signIn,
  'sign-up': async (given) => {
    const { email, password, name } = given;
    await ask('../sign-up/email', { email, password, name });
    await signIn(given);
  },
};
for (const name of ['request-password-reset', 'reset-password', 'confirm-email']) {
  actions[name] = (given) => ask(name, given);
}
const forms = [...document.forms];
const problem = document.getElementById('problem');
const done = document.getElementById('done');
const onward = document.getElementById('onward');
for (const form of forms) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const buttons = document.querySelectorAll('button');
    for (const button of buttons) button.disabled = true;
    problem.textContent = '';
    try {
      await actions[form.dataset.do](Object.fromEntries(new FormData(form)));
      document.getElementById('content').hidden = true;
      done.textContent = done.dataset.text;
      if (onward) onward.hidden = false;
    } catch (error) {
      problem.textContent = error.message;
    }
    for (const button of buttons) button.disabled = false;
  });
}
const joining = forms.find((form) => form.dataset.do === 'accept');
if (joining) {
  ask('../get-session').catch(() => null).then((session) => {
    const isInvited = session !== null && session.user.email === joining.elements.email.value;
    for (const form of forms) form.hidden = (form === joining) !== isInvited;
  });
}
`;
