/** Declares phishing campaigns, what users did with them, and training. */
import { boolean, date, defineTable, integer, key, nullable, ref, text, timestamp } from '../table.ts';
import { organizations, userOf, users } from './people.ts';
import * as world from './world.ts';

const TEMPLATES = ['Parcel notice', 'Password reset', 'Invoice', 'Shared file', 'Survey', 'Bonus letter'];
export const phishingCampaigns = world.numberedTable(
  'phishing_campaigns',
  'Harmless phishing mails sent to users of a customer as an exercise.',
  34,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer whose users got the mails.')),
    name: text('Name of the campaign.'),
    template: text('What the mail looked like.'),
    difficulty: integer('How hard the mail is to recognize, from 1 to 5.'),
    launched_at: timestamp('When the mails were sent.'),
    ended_at: nullable(timestamp('When the campaign was evaluated. Missing while it runs.')),
  },
  (id, random, context, size) => {
    const launched = world.timeInOrder(id, size, random);
    const template = random.pick(TEMPLATES);
    return {
      ...{ id, template },
      organization_id: world.skewed(random, Math.min(24, organizations.size(context)), 1.3),
      name: `${template} ${world.dateOf(launched).slice(0, 7)}`,
      difficulty: random.integer(1, 5),
      launched_at: world.timestampOf(launched),
      ended_at: world.timestampIfPast(launched + 14 * world.DAY_MS),
    };
  },
);

export const phishingResults = defineTable({
  name: 'phishing_results',
  comment: 'What each user did with the mail of a campaign.',
  columns: {
    id: key<number>(),
    campaign_id: ref('phishing_campaigns', integer('The campaign.')),
    user_id: ref('users', integer('The user who got the mail.')),
    sent_at: timestamp('When the mail was sent.'),
    opened_at: nullable(timestamp('When the user opened it. Missing where it was not opened.')),
    clicked_at: nullable(timestamp('When the user clicked the link. Missing where it was not clicked.')),
    gave_password: boolean('Whether the user typed a password.'),
    reported_at: nullable(timestamp('When the user reported the mail. Missing where it was not reported.')),
  },
  *rows(context) {
    let id = 0;
    for (let campaign_id = 1; campaign_id <= phishingCampaigns.size(context); campaign_id++) {
      const campaign = phishingCampaigns.row(context, campaign_id);
      const random = context.random('phishing_results', campaign_id);
      const receivers = new Set<number>();
      for (let draw = 0; draw < 140; draw++) {
        const user = userOf(campaign.organization_id, random, context);
        if (user !== null) receivers.add(user);
      }
      for (const user_id of [...receivers].sort((a, b) => a - b)) {
        const sent = world.timeOf(campaign.launched_at) + 1_000 * random.integer(0, 900);
        const later = (after: number, share: number) =>
          random.chance(share) ? world.timestampIfPast(after + world.hours(30 * random.next() ** 3)) : null;
        const opened = later(sent, 0.62);
        const clicked = opened && later(world.timeOf(opened), 0.1 + campaign.difficulty * 0.05);
        yield {
          ...{ id: ++id, campaign_id, user_id },
          sent_at: world.timestampOf(sent),
          opened_at: opened,
          clicked_at: clicked,
          gave_password: clicked !== null && random.chance(0.35),
          reported_at: opened && later(world.timeOf(opened), clicked ? 0.1 : 0.3),
        };
      }
    }
  },
});

const COURSES = [
  'Security basics',
  'Recognizing phishing',
  'Handling personal data',
  'Secure coding',
  'Incident reporting',
];
export const trainingAssignments = world.numberedTable(
  'training_assignments',
  'Courses that users were asked to take.',
  2_400,
  {
    id: key<number>(),
    user_id: ref('users', integer('The user.')),
    course: text('Name of the course.'),
    is_mandatory: boolean('Whether the course must be taken.'),
    assigned_on: date('Day on which the course was assigned.'),
    due_on: date('Day by which it must be finished.'),
    completed_on: nullable(date('Day on which it was finished. Missing until then.')),
    score: nullable(integer('Result of the test in percent. Missing until finished, and for courses without a test.')),
  },
  (id, random, context, size) => {
    const course = COURSES[(id - 1) % COURSES.length]!;
    const assigned = world.START + Math.floor((id / size) * 540) * world.DAY_MS;
    const completed = random.chance(0.82)
      ? world.dateIfPast(assigned + Math.floor(45 * random.next() ** 0.8) * world.DAY_MS)
      : null;
    return {
      ...{ id, course },
      user_id: world.spread(id, users.size(context)),
      is_mandatory: course !== 'Secure coding' && course !== 'Incident reporting',
      assigned_on: world.dateOf(assigned),
      due_on: world.dateOf(assigned + 30 * world.DAY_MS),
      completed_on: completed,
      score: completed === null || course === 'Incident reporting' ? null : random.integer(45, 100),
    };
  },
);
