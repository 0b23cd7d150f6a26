/** The tables that only PostgreSQL has. */
export type OwnTables = {
  processes: { id: string; seenAt: Date };
  claims: { subject: string; processId: string; group: string | null };
  meterReservations: { processId: string; subject: string; period: string; requests: number; ai: number };
};
