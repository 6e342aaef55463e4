// Made by `npm run docs` from the files beside it.
import certificateRenewal from './cron-jobs/certificate-renewal.yaml' with { type: 'text' };
import diskSpaceAlarm from './cron-jobs/disk-space-alarm.yaml' with { type: 'text' };
import hourlyGitMirror from './cron-jobs/hourly-git-mirror.yaml' with { type: 'text' };
import logRotation from './cron-jobs/log-rotation.yaml' with { type: 'text' };
import nightlyFolderBackup from './cron-jobs/nightly-folder-backup.yaml' with { type: 'text' };
import nightlyPostgresBackup from './cron-jobs/nightly-postgres-backup.yaml' with { type: 'text' };
import uptimeProbe from './cron-jobs/uptime-probe.yaml' with { type: 'text' };
import weeklyDockerCleanup from './cron-jobs/weekly-docker-cleanup.yaml' with { type: 'text' };
import mysqlBackup from './database/mysql-backup.yaml' with { type: 'text' };
import mysqlProcesses from './database/mysql-processes.yaml' with { type: 'text' };
import postgresActivity from './database/postgres-activity.yaml' with { type: 'text' };
import postgresBackup from './database/postgres-backup.yaml' with { type: 'text' };
import postgresSize from './database/postgres-size.yaml' with { type: 'text' };
import postgresSlowQueries from './database/postgres-slow-queries.yaml' with { type: 'text' };
import redisInfo from './database/redis-info.yaml' with { type: 'text' };
import sqliteBackup from './database/sqlite-backup.yaml' with { type: 'text' };
import deployGitCheckout from './deployment/deploy-git-checkout.yaml' with { type: 'text' };
import dockerComposeDeploy from './deployment/docker-compose-deploy.yaml' with { type: 'text' };
import kubernetesRollout from './deployment/kubernetes-rollout.yaml' with { type: 'text' };
import publishStaticSite from './deployment/publish-static-site.yaml' with { type: 'text' };
import rollBackRelease from './deployment/roll-back-release.yaml' with { type: 'text' };
import systemdService from './deployment/systemd-service.yaml' with { type: 'text' };
import dockerContainers from './docker/docker-containers.yaml' with { type: 'text' };
import dockerDiskSpace from './docker/docker-disk-space.yaml' with { type: 'text' };
import dockerImages from './docker/docker-images.yaml' with { type: 'text' };
import dockerLogs from './docker/docker-logs.yaml' with { type: 'text' };
import dockerRestart from './docker/docker-restart.yaml' with { type: 'text' };
import dockerStats from './docker/docker-stats.yaml' with { type: 'text' };
import csvToJson from './files/csv-to-json.yaml' with { type: 'text' };
import resizeImage from './files/resize-image.yaml' with { type: 'text' };
import restorePostgres from './files/restore-postgres.yaml' with { type: 'text' };
import signPdf from './files/sign-pdf.yaml' with { type: 'text' };
import gitBranches from './git/git-branches.yaml' with { type: 'text' };
import gitChangelog from './git/git-changelog.yaml' with { type: 'text' };
import gitLog from './git/git-log.yaml' with { type: 'text' };
import gitReleaseTag from './git/git-release-tag.yaml' with { type: 'text' };
import gitSearch from './git/git-search.yaml' with { type: 'text' };
import gitStatus from './git/git-status.yaml' with { type: 'text' };
import diskUsage from './monitoring/disk-usage.yaml' with { type: 'text' };
import httpCheck from './monitoring/http-check.yaml' with { type: 'text' };
import journalErrors from './monitoring/journal-errors.yaml' with { type: 'text' };
import listeningPorts from './monitoring/listening-ports.yaml' with { type: 'text' };
import logFiles from './monitoring/log-files.yaml' with { type: 'text' };
import memory from './monitoring/memory.yaml' with { type: 'text' };
import systemLoad from './monitoring/system-load.yaml' with { type: 'text' };
import tlsCertificate from './monitoring/tls-certificate.yaml' with { type: 'text' };
import topProcesses from './monitoring/top-processes.yaml' with { type: 'text' };

/** The text of every template, by its id; each is read with `core/template/read-template`. */
export const TEMPLATE_TEXTS: ReadonlyMap<string, string> = new Map([
  ['certificate-renewal', certificateRenewal],
  ['disk-space-alarm', diskSpaceAlarm],
  ['hourly-git-mirror', hourlyGitMirror],
  ['log-rotation', logRotation],
  ['nightly-folder-backup', nightlyFolderBackup],
  ['nightly-postgres-backup', nightlyPostgresBackup],
  ['uptime-probe', uptimeProbe],
  ['weekly-docker-cleanup', weeklyDockerCleanup],
  ['mysql-backup', mysqlBackup],
  ['mysql-processes', mysqlProcesses],
  ['postgres-activity', postgresActivity],
  ['postgres-backup', postgresBackup],
  ['postgres-size', postgresSize],
  ['postgres-slow-queries', postgresSlowQueries],
  ['redis-info', redisInfo],
  ['sqlite-backup', sqliteBackup],
  ['deploy-git-checkout', deployGitCheckout],
  ['docker-compose-deploy', dockerComposeDeploy],
  ['kubernetes-rollout', kubernetesRollout],
  ['publish-static-site', publishStaticSite],
  ['roll-back-release', rollBackRelease],
  ['systemd-service', systemdService],
  ['docker-containers', dockerContainers],
  ['docker-disk-space', dockerDiskSpace],
  ['docker-images', dockerImages],
  ['docker-logs', dockerLogs],
  ['docker-restart', dockerRestart],
  ['docker-stats', dockerStats],
  ['csv-to-json', csvToJson],
  ['resize-image', resizeImage],
  ['restore-postgres', restorePostgres],
  ['sign-pdf', signPdf],
  ['git-branches', gitBranches],
  ['git-changelog', gitChangelog],
  ['git-log', gitLog],
  ['git-release-tag', gitReleaseTag],
  ['git-search', gitSearch],
  ['git-status', gitStatus],
  ['disk-usage', diskUsage],
  ['http-check', httpCheck],
  ['journal-errors', journalErrors],
  ['listening-ports', listeningPorts],
  ['log-files', logFiles],
  ['memory', memory],
  ['system-load', systemLoad],
  ['tls-certificate', tlsCertificate],
  ['top-processes', topProcesses],
]);
