/** Declares the `cybersec` demo: 62 tables of a company that protects the systems of its customers. */
import { join } from 'node:path';
import type { Demo } from '../table.ts';
import * as assets from './assets.ts';
import * as awareness from './awareness.ts';
import * as business from './business.ts';
import * as cloud from './cloud.ts';
import * as detection from './detection.ts';
import * as governance from './governance.ts';
import * as intelligence from './intelligence.ts';
import * as people from './people.ts';
import * as telemetry from './telemetry.ts';
import * as vulnerabilities from './vulnerabilities.ts';

export const cybersec: Demo = {
  name: 'cybersec',
  description: 'A security company: its customers, their devices, and what happens on them.',
  seed: 20_250_501,
  layer: join(import.meta.dirname, 'semantic'),
  tables: [
    ...[people.slaPolicies, people.employees, people.roles, people.organizations, people.sites, people.users],
    ...[people.legacyUsers, people.identities, people.userGroups, people.groupMemberships],
    ...[assets.assets, assets.cmdbAssets, assets.vendors, assets.softwareProducts, assets.softwareInstalls],
    ...[assets.agents, assets.agentHeartbeats],
    ...[cloud.cloudAccounts, cloud.cloudResources, cloud.cloudMisconfigurations, cloud.containers],
    ...[cloud.exposedSecrets, cloud.dataClassifications, cloud.dataStores, cloud.backups],
    ...[vulnerabilities.vulnerabilities, vulnerabilities.scans, vulnerabilities.findings],
    ...[vulnerabilities.patches, vulnerabilities.patchDeployments],
    ...[detection.detectionRules, detection.alerts, detection.detections, detection.playbooks],
    ...[intelligence.threatActors, detection.incidents, detection.incidentAlerts, detection.incidentTimeline],
    ...[detection.evidence, intelligence.threatFeeds, intelligence.indicators],
    ...[telemetry.networkEvents, telemetry.dnsQueries, telemetry.authEvents, telemetry.eventArchive],
    ...[telemetry.emailThreats, awareness.phishingCampaigns, awareness.phishingResults, awareness.trainingAssignments],
    ...[governance.frameworks, governance.controls, governance.audits, governance.controlAssessments],
    ...[governance.policies, governance.risks, governance.riskExceptions],
    ...[business.contracts, business.licenses, business.subscriptions, business.invoices, business.tickets],
    business.oncallShifts,
  ],
};
