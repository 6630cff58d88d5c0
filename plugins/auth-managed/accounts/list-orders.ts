/** Declares by what lists of users, members and invitations are sorted; each order has an index. */
import { sortable } from '../../admin-kit/index.ts';

export const USER_ORDERS = sortable(
  {
    createdAt: [{ column: 'createdAt' }, { column: 'userId', order: 'desc' }],
    email: [{ column: 'email', isText: true }, { column: 'userId' }],
  },
  '-createdAt',
);

export const MEMBER_ORDERS = sortable({ createdAt: [{ column: 'memberSince' }, { column: 'userId' }] }, 'createdAt');

export const INVITATION_ORDERS = sortable(
  {
    createdAt: [{ column: 'createdAt' }, { column: 'id' }],
    email: [{ column: 'email', isText: true }, { column: 'id' }],
  },
  '-createdAt',
);
